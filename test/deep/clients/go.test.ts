/** The Go client as a module: its own tests, its README and its examples run against a server. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openUnreliableProxy } from '../../clients/unreliable-proxy.ts';
import { fencesOf, readPage, ROOT } from '../../docs/markdown.ts';
import { useCarillonServer } from './carillon-server.ts';
import { expectExamples } from './examples.ts';

const run = promisify(execFile);
const CLIENT = path.join(ROOT, 'clients/go');
/** Of a cold build on two busy cores. */
const BUILD_MS_MAX = 170_000;

const missing = whatIsMissing();
// oxlint-disable-next-line no-console -- a skipped test says why
if (missing !== undefined) console.log(`skipped: the Go client needs ${missing}`);

describe.skipIf(missing !== undefined)('The Go client', () => {
  const server = useCarillonServer();
  let directory = '';
  const programs = { readme: '', examples: '' };

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'carillon-go-'));
    // The program of the README, as if it stood in the module.
    const source = path.join(directory, 'readme.go');
    await writeFile(source, readmeProgram());
    const overlay = path.join(directory, 'overlay.json');
    const place = path.join(CLIENT, 'examples/readme/main.go');
    await writeFile(overlay, JSON.stringify({ Replace: { [place]: source } }));
    for (const [name, folder] of [
      ['readme', './examples/readme'],
      ['examples', './examples/api'],
    ] as const) {
      programs[name] = path.join(directory, name);
      await go(['build', '-overlay', overlay, '-o', programs[name], folder]);
    }
  }, BUILD_MS_MAX);
  afterAll(async () => rm(directory, { recursive: true, force: true }));

  async function outputOf(program: string, { url = server.url, key = '' } = {}): Promise<string> {
    const ofApp = key === '' ? (await server.newApp()).key : key;
    const { stdout } = await run(program, [], { env: { CARILLON_URL: url, CARILLON_KEY: ofApp } });
    return stdout;
  }

  test(
    'the Go client is formatted, vetted and tested',
    async () => {
      const { stdout } = await run('gofmt', ['-l', '.'], { cwd: CLIENT });
      expect(stdout.split('\n').filter((file) => !file.endsWith('_gen.go'))).toEqual(['']);
      await go(['vet', './...']);
      expect(await go(['test', './...'])).toMatch(/^ok /m);
    },
    BUILD_MS_MAX,
  );

  test('the Go client sends a push as its README shows', async () => {
    const printed = await outputOf(programs.readme);
    expect(printed).toMatch(/^sent 1$/m);
    expect(printed).toMatch(/^There is no such notification/m);
  });

  // Before the examples, some of whose pushes may still be in flight when they end.
  test('the Go client sends no push twice when the reply was lost', async () => {
    const proxy = await openUnreliableProxy(server.url);
    try {
      const unavailable = { status: 503, headers: { 'retry-after': '0' } };
      proxy.next('pass', 'lose the reply', unavailable, 'lose the reply');
      const before = server.simulator.counts().fcm.accepted;
      expect(await outputOf(programs.readme, { url: proxy.url })).toMatch(/^sent 1$/m);
      const tries = proxy.seen.filter(({ call }) => call === 'POST /v6/notifications');
      expect(tries).toHaveLength(4);
      expect(server.simulator.counts().fcm.accepted).toBe(before + 1);
    } finally {
      await proxy.close();
    }
  });

  test('the Go client makes the calls of docs/api.md, with the replies that it shows, and a second time', async () => {
    const { key } = await server.newApp();
    expectExamples(await outputOf(programs.examples, { key }));
    // The app has its devices and audiences then, so replies differ.
    await outputOf(programs.examples, { key });
  });
});

async function go(words: string[]): Promise<string> {
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off', CGO_ENABLED: '0' };
  return (await run('go', words, { cwd: CLIENT, env })).stdout;
}

/** @returns nothing if Go is new enough */
function whatIsMissing(): string | undefined {
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off' };
  const { status } = spawnSync('go', ['list', '-deps', './...'], { cwd: CLIENT, env });
  return status === 0 ? undefined : 'Go 1.24 or later';
}

function readmeProgram(): string {
  const blocks = fencesOf(readPage('clients/go/README.md')).filter(({ info }) => info === 'go');
  return blocks.map(({ text }) => text).join('\n');
}
