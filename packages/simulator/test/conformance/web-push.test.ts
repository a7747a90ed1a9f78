/** Application servers of other authors reach the simulated browsers. See README.md. */
import { spawn } from 'node:child_process';
import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import webPush from 'web-push';
import { z } from 'zod';
import { deriveSubscription, WEB_SERVICES, type WebSubscription } from '../../src/web/subscriptions.ts';
import { useSimulator } from '../harness.ts';
import { encrypt } from '../web/sender.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const VENV = path.join(HERE, '../../.venv');
const PYTHON = path.join(VENV, 'bin/python');
const hasPython = existsSync(path.join(VENV, 'installed'));
// oxlint-disable-next-line no-console -- a skipped test says why
if (!hasPython) console.log(`skipped: pywebpush is not installed (${path.relative('.', HERE)}/install)`);

const harness = useSimulator({ clock: () => new Date() });
const vapid = webPush.generateVAPIDKeys();

interface Push {
  subscription: WebSubscription;
  text: string;
  ttl: number;
  headers: Record<string, string>;
}
/** Sends the pushes in turn, with urgency `high` and topic `news`. @returns the status of each */
type Send = (pushes: readonly Push[]) => Promise<number[]>;

const sendByNode: Send = async (pushes) => {
  const agent = new Agent({ ca: harness.simulator.caPem, keepAlive: true });
  const vapidDetails = { subject: 'mailto:push@example.com', ...vapid };
  const statuses: number[] = [];
  for (const { subscription, text, ttl, headers } of pushes) {
    const options = { TTL: ttl, urgency: 'high', topic: 'news', headers, vapidDetails, agent } as const;
    const answer = await webPush.sendNotification(subscription, text, options).catch((error: unknown) => {
      if (error instanceof webPush.WebPushError) return error;
      throw error;
    });
    statuses.push(answer.statusCode);
  }
  agent.destroy();
  return statuses;
};

const sendByPython: Send = async (pushes) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'carillon-pywebpush-'));
  onTestFinished(async () => rm(dir, { recursive: true, force: true }));
  const ca = path.join(dir, 'ca.pem');
  await writeFile(ca, harness.simulator.caPem);
  const asked = { privateKey: vapid.privateKey, pushes };
  return z.array(z.number()).parse(await runPython('send.py', asked, { REQUESTS_CA_BUNDLE: ca }));
};

/** Runs a program of this folder. @param asked its standard input, as JSON @returns its standard output, read as JSON */
async function runPython(
  program: string,
  asked: unknown,
  settings: Record<string, string> = {},
): Promise<unknown> {
  const python = spawn(PYTHON, [path.join(HERE, program)], {
    env: { ...settings, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 120_000,
  });
  python.stdin.end(JSON.stringify(asked));
  const [printed] = await Promise.all([readText(python.stdout), once(python, 'close')]);
  return JSON.parse(printed);
}

/** From one character to 3,993 bytes, the largest text that fits into 4,096 bytes with what is around it. */
const TEXTS = ['a', '{"title":"Grüße ☕","data":{"_nid":"n1"}}', 'é'.repeat(700), 'a'.repeat(3993)];

describe.each<[string, boolean, Send]>([
  ['web-push of npm', true, sendByNode],
  ['pywebpush', hasPython, sendByPython],
])('%s', (name, isInstalled, send) => {
  test.skipIf(!isInstalled)(
    `${name} reaches the browsers of all services, with texts of all sizes`,
    async () => {
      const { web, urls } = harness.simulator;
      const made = WEB_SERVICES.map((service) =>
        web.subscribe({ service, applicationServerKey: vapid.publicKey }),
      );
      const derived = WEB_SERVICES.map((service) =>
        deriveSubscription(urls.web, name.replaceAll(' ', '_'), service),
      );
      const pushes = [...made, ...derived].flatMap((subscription) =>
        TEXTS.filter((text) => text.length < 3000 || !subscription.endpoint.includes('android')).map(
          (text) => ({
            subscription,
            text,
            ttl: 60,
            headers: {},
          }),
        ),
      );
      expect(await send(pushes)).toEqual(pushes.map(() => 201));
      expect(harness.simulator.received()).toMatchObject(
        pushes.map(({ subscription, text }) => ({
          token: subscription.endpoint,
          text,
          ttl: 60,
          urgency: 'high',
          topic: 'news',
          bodyFault: null,
        })),
      );
      expect(harness.simulator.counts().web_push.errors).toEqual({});
    },
  );

  test.skipIf(!isInstalled)(`${name} is refused where a service would refuse it`, async () => {
    const { web } = harness.simulator;
    const gone = web.subscribe();
    web.unsubscribe(gone.endpoint);
    const others = web.subscribe({ applicationServerKey: webPush.generateVAPIDKeys().publicKey });
    const windows = web.subscribe({ service: 'windows' });
    const common = { text: 'a', ttl: 60, headers: {} };
    const pushes = [
      { ...common, subscription: gone },
      { ...common, subscription: others },
      { ...common, subscription: windows, ttl: 0 },
      { ...common, subscription: windows, ttl: 0, headers: { 'X-WNS-Cache-Policy': 'no-cache' } },
      { ...common, subscription: web.subscribe(), text: 'a'.repeat(3994) },
      // Accepted, as no service can see for whom it is encrypted.
      { ...common, subscription: { ...web.subscribe(), keys: gone.keys } },
    ];
    expect(await send(pushes)).toEqual([410, 403, 400, 201, 413, 201]);
    const { errors } = harness.simulator.counts().web_push;
    expect(errors).toMatchObject({ UnreadableBody: 1 });
  });
});

test.skipIf(!hasPython)(
  'http_ece opens what the sender of the other tests encrypts, padded and not',
  async () => {
    const texts = [...TEXTS, ''];
    const pushes = texts.flatMap((text) =>
      [0, 1, 90].map((padding) => {
        const pair = createECDH('prime256v1');
        const auth = randomBytes(16).toString('base64url');
        const keys = { p256dh: pair.generateKeys().toString('base64url'), auth };
        const body = encrypt(
          text,
          { endpoint: '', expirationTime: null, keys },
          { padding, recordSize: 5000 },
        );
        const privateKey = pair.getPrivateKey().toString('base64url');
        return { privateKey, auth, body: body.toString('base64url') };
      }),
    );
    expect(await runPython('open.py', pushes)).toEqual(texts.flatMap((text) => [text, text, text]));
  },
);
