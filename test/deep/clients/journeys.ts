/** What each client does against a server: a process with the simulator as its gateways. Each run has an app of its own. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseSecretKey } from '../../../src/process/secret-key.ts';
import { startSimulator } from '@carillon/simulator';
import { openUnreliableProxy } from '../../clients/unreliable-proxy.ts';
import { type Fence, fencesOf, readPage } from '../../docs/markdown.ts';
import { abridged, shapeOf } from '../../docs/reply-shape.ts';
import { useTestDatabase } from '../../support/database.ts';
import { useOpened } from '../../support/opened.ts';
import { listeningUrl, useCarillon } from '../../support/processes.ts';
import { createSimulatedApp, gatewaySettings } from '../../support/simulated-app.ts';

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
 * @param programs that of its README, and its examples, once the tests run. They print, for each section of docs/api.md with a command,
 *   at least one line `{"section": "Devices > Read a device", "reply": …}`; the replies that the page shows are compared with those lines
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

interface Section {
  name: string;
  /** The JSON that stands under its commands. */
  shown: unknown[];
}

const lineSchema = z.strictObject({ section: z.string(), reply: z.unknown() });

function sectionsOfApi(): Section[] {
  const page = readPage('docs/api.md');
  const sections = new Map<string, unknown[]>();
  const fences = fencesOf(page);
  for (const [index, fence] of fences.entries()) {
    const name = headingOver(page.text, fence);
    if (fence.info === 'sh') sections.set(name, sections.get(name) ?? []);
    if (fence.info === 'json' && fences[index - 1]?.info === 'sh')
      sections.get(name)?.push(JSON.parse(fence.text));
  }
  return [...sections].map(([name, shown]) => ({ name, shown }));
}

/** @param printed what the program wrote to standard output */
function expectExamples(printed: string): void {
  const lines = inMilliseconds(printed)
    .trim()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)));
  const replies = Map.groupBy(lines, ({ section }) => section);
  const sections = sectionsOfApi();
  expect(new Set(replies.keys())).toEqual(new Set(sections.map(({ name }) => name)));
  for (const { name, shown } of sections) {
    for (const [index, json] of shown.entries()) {
      const expected = shapeOf(json);
      expect(abridged(shapeOf(replies.get(name)?.[index]?.reply), expected), name).toEqual(expected);
    }
  }
}

/** Times as the API writes them; Go leaves zeros at the end out. */
function inMilliseconds(text: string): string {
  return text.replaceAll(
    /(?<=T\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?Z/g,
    (_, digits = '') => `.${String(digits).padEnd(3, '0')}Z`,
  );
}

/** `Devices > Read a device` */
function headingOver(text: string, { line }: Fence): string {
  const path: string[] = [];
  for (const [, level = '', heading = ''] of text
    .split('\n')
    .slice(0, line)
    .join('\n')
    .matchAll(/^##(#*) (.+)$/gm)) {
    path.splice(level.length, Infinity, heading);
  }
  return path.join(' > ');
}
