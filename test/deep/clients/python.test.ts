/** The Python client: its types, its tests, and against a server its README and examples. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../docs/markdown.ts';
import { useTemporaryDir } from '../../support/temporary-dir.ts';
import { type Program, readmeProgram, run, testJourneys } from './journeys.ts';

const CLIENT = path.join(ROOT, 'clients/python');
const TOOLS = path.join(CLIENT, '.venv/bin');
const hasTools = existsSync(path.join(TOOLS, 'mypy'));
// oxlint-disable-next-line no-console -- a skipped test says why
if (!hasTools) console.log('skipped: the Python client needs its tools (`clients/python/install`)');

describe.skipIf(!hasTools)('The Python client', { timeout: 180_000 }, () => {
  const directory = useTemporaryDir();
  const readme = (): string => path.join(directory.path, 'readme.py');
  beforeAll(async () => writeFile(readme(), readmeProgram('python', 'python')));

  test('the Python client is typed, and so are its examples and its README', async () => {
    const words = ['src', 'examples', 'tests', readme()];
    const { stdout } = await run(path.join(TOOLS, 'mypy'), words, { cwd: CLIENT });
    expect(stdout).toMatch(/^Success/);
  });

  test('the Python client passes the tests of its own layer', async () => {
    const words = ['-m', 'unittest', 'discover', '-s', 'tests'];
    const { stderr } = await run(path.join(TOOLS, 'python'), words, { cwd: CLIENT });
    expect(stderr).toMatch(/^OK$/m);
  });

  const python = (file: string): Program => ({
    words: [path.join(TOOLS, 'python'), file],
    cwd: directory.path,
    env: { PYTHONDONTWRITEBYTECODE: '1' }, // no compiled modules next to the sources
  });
  testJourneys(
    'Python',
    { readme: () => python(readme()), examples: () => python(path.join(CLIENT, 'examples/api.py')) },
    'device',
  );
});
