/** The Go client as a module: its own tests, its README and its examples run against a server. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../docs/markdown.ts';
import { useTemporaryDir } from '../../support/temporary-dir.ts';
import { readmeProgram, run, testJourneys } from './journeys.ts';

const CLIENT = path.join(ROOT, 'clients/go');
/** Of a cold build on two busy cores. */
const BUILD_MS_MAX = 170_000;
const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off', CGO_ENABLED: '0' };

const hasTools = spawnSync('go', ['list', '-deps', './...'], { cwd: CLIENT, env }).status === 0;
// oxlint-disable-next-line no-console -- a skipped test says why
if (!hasTools) console.log('skipped: the Go client needs Go 1.24 or later');

async function go(...words: string[]): Promise<string> {
  return (await run('go', words, { cwd: CLIENT, env })).stdout;
}

describe.skipIf(!hasTools)('The Go client', () => {
  const directory = useTemporaryDir();
  const programs = {
    readme: () => path.join(directory.path, 'readme'),
    examples: () => path.join(directory.path, 'examples'),
  };

  beforeAll(async () => {
    // The program of the README, as if it stood in the module.
    const source = path.join(directory.path, 'readme.go');
    await writeFile(source, readmeProgram('go', 'go'));
    const overlay = path.join(directory.path, 'overlay.json');
    const place = path.join(CLIENT, 'examples/readme/main.go');
    await writeFile(overlay, JSON.stringify({ Replace: { [place]: source } }));
    await go('build', '-overlay', overlay, '-o', programs.readme(), './examples/readme');
    await go('build', '-overlay', overlay, '-o', programs.examples(), './examples/api');
  }, BUILD_MS_MAX);

  test(
    'the Go client is formatted, vetted and tested',
    async () => {
      const { stdout } = await run('gofmt', ['-l', '.'], { cwd: CLIENT });
      expect(stdout.split('\n').filter((file) => !file.endsWith('_gen.go'))).toEqual(['']);
      await go('vet', './...');
      expect(await go('test', './...')).toMatch(/^ok /m);
    },
    BUILD_MS_MAX,
  );

  testJourneys(
    'Go',
    {
      readme: () => ({ words: [programs.readme()] }),
      examples: () => ({ words: [programs.examples()] }),
    },
    'notification',
  );
});
