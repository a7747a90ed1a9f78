/** The TypeScript client as a package: its types hold in strict programs, and its README and examples run against a server. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fencesOf, readPage, ROOT } from '../../docs/markdown.ts';
import { openUnreliableProxy } from '../../clients/unreliable-proxy.ts';
import { useCarillonServer } from './carillon-server.ts';
import { expectExamples } from './examples.ts';

const run = promisify(execFile);
const CLIENT = path.join(ROOT, 'clients/typescript');
const MODULES = path.join(ROOT, 'node_modules');

describe('The TypeScript client', { timeout: 180_000 }, () => {
  const server = useCarillonServer();
  let directory = '';

  /** A project that has installed the package. */
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'carillon-client-'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd: CLIENT });
    const [packed] = packedSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('['))));
    await mkdir(path.join(directory, 'node_modules/@carillon'), { recursive: true });
    await run('tar', ['-xzf', packed.filename], { cwd: directory });
    await cp(path.join(directory, 'package'), path.join(directory, 'node_modules/@carillon/client'), {
      recursive: true,
    });
    await symlink(path.join(MODULES, '@types'), path.join(directory, 'node_modules/@types'));
    await writeFile(path.join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
    await cp(path.join(CLIENT, 'examples'), path.join(directory, 'examples'), { recursive: true });
    await writeFile(path.join(directory, 'readme.ts'), readmeProgram());
  });
  afterAll(async () => rm(directory, { recursive: true, force: true }));

  /** Runs a program of the project. */
  async function program(file: string, { url = server.url, key = '' } = {}): Promise<string> {
    const ofApp = key === '' ? (await server.newApp()).key : key;
    const env = { PATH: process.env['PATH'], CARILLON_URL: url, CARILLON_KEY: ofApp };
    const { stdout } = await run(process.execPath, [file], { cwd: directory, env });
    return stdout;
  }

  test('the TypeScript client is typed for programs with strict settings', async () => {
    const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--skipLibCheck'];
    const modern = [
      '--target',
      'esnext',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--allowImportingTsExtensions',
    ];
    const files = ['readme.ts', 'examples/api.ts'];
    const tsc = path.join(MODULES, '.bin/tsc');
    await expect(run(tsc, [...options, ...modern, ...files], { cwd: directory })).resolves.toMatchObject({
      stdout: '',
    });
  });

  test('the TypeScript client sends a push as its README shows', async () => {
    const printed = await program('readme.ts');
    expect(printed).toMatch(/^sent 1$/m);
    expect(printed).toMatch(/^There is no such device/m);
  });

  // Before the examples, some of whose pushes may still be in flight when they end.
  test('the TypeScript client sends no push twice when the reply was lost', async () => {
    const proxy = await openUnreliableProxy(server.url);
    try {
      proxy.next(
        'pass',
        'lose the reply',
        { status: 503, headers: { 'retry-after': '0' } },
        'lose the reply',
      );
      const before = server.simulator.counts().fcm.accepted;
      expect(await program('readme.ts', { url: proxy.url })).toMatch(/^sent 1$/m);
      const tries = proxy.seen.filter(({ call }) => call === 'POST /v6/notifications');
      expect(tries).toHaveLength(4);
      expect(server.simulator.counts().fcm.accepted).toBe(before + 1);
    } finally {
      await proxy.close();
    }
  });

  test('the TypeScript client makes the calls of docs/api.md, with the replies that it shows, and a second time', async () => {
    const { key } = await server.newApp();
    expectExamples(await program('examples/api.ts', { key }));
    // The app has its devices and audiences then, so replies differ.
    await program('examples/api.ts', { key });
  });
});

const packedSchema = z.tuple([z.looseObject({ filename: z.string() })]);

function readmeProgram(): string {
  const blocks = fencesOf(readPage('clients/typescript/README.md')).filter(({ info }) => info === 'ts');
  return blocks.map(({ text }) => text).join('\n');
}
