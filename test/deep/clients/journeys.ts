/** What each client does against a server: a process with the simulator as its gateways. Each run has an app of its own. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parseSecretKey } from '../../../src/process/secret-key.ts';
import { startSimulator } from '@carillon/simulator';
import { openUnreliableProxy } from '../../clients/unreliable-proxy.ts';
import { fencesOf, readPage } from '../../docs/markdown.ts';
import { useTestDatabase } from '../../support/database.ts';
import { useOpened } from '../../support/opened.ts';
import { listeningUrl, useCarillon } from '../../support/processes.ts';
import { createSimulatedApp, gatewaySettings } from '../../support/simulated-app.ts';
import { expectExamples } from './examples.ts';

export const run = promisify(execFile);

/** The program of a client's README: its blocks in that language. */
export function readmeProgram(client: string, language: string): string {
  const blocks = fencesOf(readPage(`clients/${client}/README.md`)).filter(({ info }) => info === language);
  return blocks.map(({ text }) => text).join('\n');
}

export interface Program {
  words: readonly [string, ...string[]];
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

/**
 * Tests of what a client does.
 * @param programs that of its README, and the examples of all calls, once the tests run
 * @param unknown what its README asks for that there is not
 */
export function testJourneys(
  client: string,
  programs: Readonly<Record<'readme' | 'examples', () => Program>>,
  unknown: 'device' | 'notification',
): void {
  const database = useTestDatabase();
  const carillon = useCarillon();
  const secret = randomBytes(32).toString('hex');
  const server = useOpened(async (closing) => {
    const simulator = closing.keep(await startSimulator({ certificateDir: await carillon.makeDir() }));
    const address = { DATABASE_URL: database.url, SECRET_KEY: secret, PORT: '0' };
    const started = carillon.start(['start'], { ...gatewaySettings(simulator), ...address });
    return { url: await listeningUrl(started), simulator };
  });

  const newKey = async (): Promise<string> =>
    (await createSimulatedApp(database.db, parseSecretKey(secret), server.simulator)).key;
  async function outputOf(program: Program, { url = server.url, key = '' } = {}): Promise<string> {
    const { words, cwd, env } = program;
    const [name, ...others] = words;
    const app = { CARILLON_URL: url, CARILLON_KEY: key === '' ? await newKey() : key };
    const { stdout } = await run(name, others, { cwd, env: { PATH: process.env['PATH'], ...env, ...app } });
    return stdout;
  }

  test(`the ${client} client sends a push as its README shows`, async () => {
    const printed = await outputOf(programs.readme());
    expect(printed).toMatch(/^sent 1$/m);
    expect(printed).toMatch(new RegExp(`^There is no such ${unknown}`, 'm'));
  });

  // Before the examples, some of whose pushes may still be in flight when they end.
  test(`the ${client} client sends no push twice when the reply was lost`, async () => {
    const proxy = await openUnreliableProxy(server.url);
    try {
      const unavailable = { status: 503, headers: { 'retry-after': '0' } };
      proxy.next('pass', 'lose the reply', unavailable, 'lose the reply');
      const before = server.simulator.counts().fcm.accepted;
      expect(await outputOf(programs.readme(), { url: proxy.url })).toMatch(/^sent 1$/m);
      const tries = proxy.seen.filter(({ call }) => call === 'POST /v6/notifications');
      expect(tries).toHaveLength(4);
      expect(server.simulator.counts().fcm.accepted).toBe(before + 1);
    } finally {
      await proxy.close();
    }
  });

  test(`the ${client} client makes the calls of docs/api.md, with the replies that it shows, and a second time`, async () => {
    const key = await newKey();
    expectExamples(await outputOf(programs.examples(), { key }));
    // The app has its devices and audiences then, so replies differ.
    await outputOf(programs.examples(), { key });
  });
}
