/** The TypeScript client as a package: its types hold in strict programs, and its README and examples run against a server. */
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ROOT } from '../../docs/markdown.ts';
import { useTemporaryDir } from '../../support/temporary-dir.ts';
import { type Program, readmeProgram, run, testJourneys } from './journeys.ts';

const CLIENT = path.join(ROOT, 'clients/typescript');
const MODULES = path.join(ROOT, 'node_modules');
const packedSchema = z.tuple([z.looseObject({ filename: z.string() })]);

describe('The TypeScript client', { timeout: 180_000 }, () => {
  const directory = useTemporaryDir();
  const at = (place: string): string => path.join(directory.path, place);

  /** A project that has installed the package. */
  beforeAll(async () => {
    const words = ['pack', '--json', '--pack-destination', directory.path];
    const { stdout } = await run('npm', words, { cwd: CLIENT });
    const [packed] = packedSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('['))));
    await mkdir(at('node_modules/@carillon'), { recursive: true });
    await run('tar', ['-xzf', packed.filename], { cwd: directory.path });
    await cp(at('package'), at('node_modules/@carillon/client'), { recursive: true });
    await symlink(path.join(MODULES, '@types'), at('node_modules/@types'));
    await writeFile(at('package.json'), JSON.stringify({ type: 'module' }));
    await cp(path.join(CLIENT, 'examples'), at('examples'), { recursive: true });
    await writeFile(at('readme.ts'), readmeProgram('typescript', 'ts'));
  });

  test('the TypeScript client is typed for programs with strict settings', async () => {
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--skipLibCheck'];
    const modern = ['--target', 'esnext', '--module', 'nodenext', '--types', 'node'];
    const words = [...strict, ...modern, '--allowImportingTsExtensions', 'readme.ts', 'examples/api.ts'];
    const { stdout } = await run(path.join(MODULES, '.bin/tsc'), words, { cwd: directory.path });
    expect(stdout).toBe('');
  });

  const node = (file: string): Program => ({ words: [process.execPath, file], cwd: directory.path });
  testJourneys(
    'TypeScript',
    { readme: () => node('readme.ts'), examples: () => node('examples/api.ts') },
    'device',
  );
});
