/** The Python client: its types, its tests, and against a server its README and examples. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fencesOf, readPage, ROOT } from '../../docs/markdown.ts';
import { openUnreliableProxy } from '../../clients/unreliable-proxy.ts';
import { useCarillonServer } from './carillon-server.ts';
import { expectExamples } from './examples.ts';

const run = promisify(execFile);
const CLIENT = path.join(ROOT, 'clients/python');
const TOOLS = path.join(CLIENT, '.venv/bin');
const hasTools = existsSync(path.join(TOOLS, 'mypy'));
// oxlint-disable-next-line no-console -- a skipped test says why
if (!hasTools) console.log('skipped: the Python client needs its tools (`clients/python/install`)');

describe.skipIf(!hasTools)('The Python client', { timeout: 180_000 }, () => {
  const server = useCarillonServer();
  let directory = '';

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'carillon-client-'));
    await writeFile(path.join(directory, 'readme.py'), readmeProgram());
  });
  afterAll(async () => rm(directory, { recursive: true, force: true }));

  /** Runs a program with a new app, and with compiled modules next to no source. */
  async function program(file: string, { url = server.url, key = '' } = {}): Promise<string> {
    const ofApp = key === '' ? (await server.newApp()).key : key;
    const env = {
      PATH: process.env['PATH'],
      CARILLON_URL: url,
      CARILLON_KEY: ofApp,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const { stdout } = await run(path.join(TOOLS, 'python'), [file], { cwd: directory, env });
    return stdout;
  }

  test('the Python client is typed, and so are its examples and its README', async () => {
    await expect(
      run(path.join(TOOLS, 'mypy'), ['src', 'examples', 'tests', path.join(directory, 'readme.py')], {
        cwd: CLIENT,
      }),
    ).resolves.toMatchObject({ stdout: expect.stringMatching(/^Success/) });
  });

  test('the Python client passes the tests of its own layer', async () => {
    const words = ['-m', 'unittest', 'discover', '-s', 'tests'];
    const { stderr } = await run(path.join(TOOLS, 'python'), words, { cwd: CLIENT });
    expect(stderr).toMatch(/^OK$/m);
  });

  test('the Python client sends a push as its README shows', async () => {
    const printed = await program('readme.py');
    expect(printed).toMatch(/^sent 1$/m);
    expect(printed).toMatch(/^There is no such device/m);
  });

  // Before the examples, some of whose pushes may still be in flight when they end.
  test('the Python client sends no push twice when the reply was lost', async () => {
    const proxy = await openUnreliableProxy(server.url);
    try {
      proxy.next(
        'pass',
        'lose the reply',
        { status: 503, headers: { 'retry-after': '0' } },
        'lose the reply',
      );
      const before = server.simulator.counts().fcm.accepted;
      expect(await program('readme.py', { url: proxy.url })).toMatch(/^sent 1$/m);
      const tries = proxy.seen.filter(({ call }) => call === 'POST /v6/notifications');
      expect(tries).toHaveLength(4);
      expect(server.simulator.counts().fcm.accepted).toBe(before + 1);
    } finally {
      await proxy.close();
    }
  });

  test('the Python client makes the calls of docs/api.md, with the replies that it shows, and a second time', async () => {
    const { key } = await server.newApp();
    expectExamples(await program(path.join(CLIENT, 'examples/api.py'), { key }));
    // The app has its devices and audiences then, so replies differ.
    await program(path.join(CLIENT, 'examples/api.py'), { key });
  });
});

function readmeProgram(): string {
  const blocks = fencesOf(readPage('clients/python/README.md')).filter(({ info }) => info === 'python');
  return blocks.map(({ text }) => text).join('\n');
}
