import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { databaseRuns, type RunningProcess, useCarillon } from '../support/processes.ts';

const runFile = promisify(execFile);
const CURL_TIMEOUT_MS = 10_000;

const carillon = useCarillon();
let dataDir: string;

beforeAll(async () => {
  dataDir = await carillon.makeDir();
});

/** The demo up to its last line, and the figures that it reports. */
async function startDemo(env: Readonly<Record<string, string>> = {}) {
  const demo = carillon.start(['demo'], { DATA_DIR: dataDir, PORT: '0', ...env });
  const [, state, accepted, devices] = await demo.line(
    /^The notification \S+ is (\w+): (\d+) of (\d+) devices/,
  );
  const [, audience] = await demo.line(/^The audience \S+ has (\d+) devices\.$/);
  const [, apple, google, browsers, sum] = await demo.line(/: (\d+) \+ (\d+) \+ (\d+) = (\d+)\.$/);
  const figures = { accepted, devices, audience, apple, google, browsers, sum };
  await demo.line(/^For real devices/);
  return {
    demo,
    state,
    figures: Object.fromEntries(Object.entries(figures).map(([name, text]) => [name, Number(text)])),
  };
}

async function interrupt(demo: RunningProcess): Promise<void> {
  demo.signal('SIGINT');
  expect(await demo.exited).toMatchObject({ code: 0, signal: null });
  expect(await databaseRuns(path.join(dataDir, 'demo'))).toBe(false);
}

/** Runs a line as it is pasted into a shell. @returns the JSON that it prints */
async function paste(line: string): Promise<unknown> {
  const { stdout } = await runFile('sh', ['-c', line], { timeout: CURL_TIMEOUT_MS });
  return JSON.parse(stdout);
}

/** Follows a link as the page of the console does when its button is pressed. @returns the status */
async function signInBy(link: string): Promise<number> {
  const { origin, hash } = new URL(link);
  const response = await fetch(`${origin}/console/session/invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ token: hash.slice(1), confirmed: true }),
  });
  return response.status;
}

let figures: Record<string, number>;

test('the demo sends one notification, and the same number of devices is targeted, accepted and received', async () => {
  const { demo, state, figures: reported } = await startDemo();
  figures = reported;
  expect(state).toBe('sent');
  expect(figures['accepted']).toBeGreaterThan(100);
  expect(figures).toMatchObject({
    devices: figures['accepted'],
    audience: figures['accepted'],
    sum: figures['accepted'],
  });
  expect(figures['browsers']).toBeGreaterThan(10);

  // The server stays up: each line that the demo prints answers, pasted into a shell as it is.
  const lines = demo.lines().filter((line) => line.startsWith('  curl '));
  const [create = '', readNotification = '', readAudience = '', counts = ''] = lines;
  expect(lines).toHaveLength(4);
  const { accepted } = figures;
  expect(await paste(readNotification)).toMatchObject({ state: 'sent', accepted });
  expect(await paste(readAudience)).toMatchObject({ audience: { device_count: accepted } });
  expect(await paste(counts)).toMatchObject({
    apns: { accepted: figures['apple'] },
    fcm: { accepted: figures['google'] },
    web_push: { accepted: figures['browsers'] },
  });
  expect(await paste(create)).toMatchObject({ state: 'scheduled', to: { type: 'Audience' } });

  const [, link = ''] = await demo.line(/^  (http:.*#.*)$/);
  expect(await signInBy(link)).toBe(204);
  expect(await signInBy(link)).toBe(404);

  const [, site = ''] = await demo.line(/^  (http:\/\/localhost:\d+)$/);
  expect(await (await fetch(site)).text()).toContain('Turn on notifications');
  for (const file of ['page.js', 'page.css', 'worker.js', 'carillon-web.js', 'carillon-sw.js']) {
    expect((await fetch(`${site}/${file}`)).status).toBe(200);
  }
  await interrupt(demo);
});

test('the demo runs a second time on the same data, with the same figures, and links to CONSOLE_URL', async () => {
  const { demo, figures: second } = await startDemo({ CONSOLE_URL: 'https://push.example/console' });
  expect(second).toEqual(figures);
  await demo.line(/^  https:\/\/push\.example\/console\/.*#/);
  await interrupt(demo);
});

test('the demo stops at Ctrl-C in the middle of it', async () => {
  const demo = carillon.start(['demo'], { DATA_DIR: dataDir, PORT: '0' });
  await demo.line(/^Registering devices/);
  await interrupt(demo);
  expect(demo.lines().some((line) => line.startsWith('The notification'))).toBe(false);
});
