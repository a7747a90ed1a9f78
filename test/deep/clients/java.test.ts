/** The Java client as Maven builds it: its own tests, its README and its examples run against a server. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openUnreliableProxy } from '../../clients/unreliable-proxy.ts';
import { fencesOf, readPage, ROOT } from '../../docs/markdown.ts';
import { useCarillonServer } from './carillon-server.ts';
import { expectExamples } from './examples.ts';

const run = promisify(execFile);
const CLIENT = path.join(ROOT, 'clients/java');
/** Of a build that has to download its plugins first, on two busy cores. */
const BUILD_MS_MAX = 240_000;
const CLASSES = [path.join(CLIENT, 'target/classes'), path.join(CLIENT, 'target/lib/*')];
const JAVA_MIN = 17;

const hasTools = hasMaven() && javaVersion() >= JAVA_MIN;
if (!hasTools) skipped(`Java ${JAVA_MIN} or later, and Maven`);

describe.skipIf(!hasTools)('The Java client', () => {
  const server = useCarillonServer();
  let directory = '';
  let built = '';

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'carillon-java-'));
    built = await build();
    if (built === UNREACHABLE) return;
    const source = path.join(directory, 'FirstPush.java');
    await writeFile(source, readmeProgram());
    const examples = (await readdir(path.join(CLIENT, 'examples'))).map((name) =>
      path.join(CLIENT, 'examples', name),
    );
    const classes = ['-d', directory, '-cp', CLASSES.join(':')];
    await run('javac', ['-encoding', 'UTF-8', '-Werror', '-Xlint:all', ...classes, source, ...examples]);
  }, BUILD_MS_MAX);
  beforeEach(({ skip }) => skip(built === UNREACHABLE));
  afterAll(async () => rm(directory, { recursive: true, force: true }));

  async function outputOf(program: string, { url = server.url, key = '' } = {}): Promise<string> {
    const ofApp = key === '' ? (await server.newApp()).key : key;
    const env = { PATH: process.env['PATH'], CARILLON_URL: url, CARILLON_KEY: ofApp };
    const { stdout } = await run('java', ['-cp', [directory, ...CLASSES].join(':'), program], { env });
    return stdout;
  }

  test('the Java client is built and tested by Maven', async () => {
    const reports = await readdir(path.join(CLIENT, 'target/surefire-reports'));
    expect(reports.filter((name) => name.endsWith('.xml')).length).toBeGreaterThan(1);
  });

  test('the Java client sends a push as its README shows', async () => {
    const printed = await outputOf('FirstPush');
    expect(printed).toMatch(/^sent 1$/m);
    expect(printed).toMatch(/^There is no such notification/m);
  });

  // Before the examples, some of whose pushes may still be in flight when they end.
  test('the Java client sends no push twice when the reply was lost', async () => {
    const proxy = await openUnreliableProxy(server.url);
    try {
      const unavailable = { status: 503, headers: { 'retry-after': '0' } };
      proxy.next('pass', 'lose the reply', unavailable, 'lose the reply');
      const before = server.simulator.counts().fcm.accepted;
      expect(await outputOf('FirstPush', { url: proxy.url })).toMatch(/^sent 1$/m);
      const tries = proxy.seen.filter(({ call }) => call === 'POST /v6/notifications');
      expect(tries).toHaveLength(4);
      expect(server.simulator.counts().fcm.accepted).toBe(before + 1);
    } finally {
      await proxy.close();
    }
  });

  test('the Java client makes the calls of docs/api.md, with the replies that it shows, and a second time', async () => {
    const { key } = await server.newApp();
    expectExamples(await outputOf('Api', { key }));
    // The app has its devices and audiences then, so replies differ.
    await outputOf('Api', { key });
  });
});

const UNREACHABLE = 'no registry';

/** Compiles and tests. @returns `UNREACHABLE` if there is no network and Maven lacks something */
async function build(): Promise<string> {
  const goals = ['-q', '-B', 'test'];
  try {
    return (await run('mvn', goals, { cwd: CLIENT, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    if (!/could not be resolved|Could not transfer/i.test(output)) throw new Error(output, { cause: error });
    skipped('Maven Central, or what it had downloaded from there');
    return UNREACHABLE;
  }
}

function hasMaven(): boolean {
  return spawnSync('mvn', ['--version']).status === 0;
}

function javaVersion(): number {
  const { stdout } = spawnSync('javac', ['--version'], { encoding: 'utf8' });
  return Number(/^javac (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

function skipped(need: string): void {
  // oxlint-disable-next-line no-console -- a skipped test says why
  console.log(`skipped: the Java client needs ${need}`);
}

function readmeProgram(): string {
  const blocks = fencesOf(readPage('clients/java/README.md')).filter(({ info }) => info === 'java');
  return blocks.map(({ text }) => text).join('\n');
}
