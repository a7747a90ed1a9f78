/** An app with browsers, each with a P-256 key of its own, and the baselines that send to them. */
import { createECDH, hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { createApp } from '../../src/apps/apps.ts';
import { putVapidCredentials } from '../../src/apps/credentials/store.ts';
import { systemClock } from '../../src/clock.ts';
import { webPushText } from '../../src/gateways/web-push/compile-web-push.ts';
import { makeVapidKey, type VapidCredentials } from '../../src/gateways/web-push/vapid-key.ts';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { type BenchApp, prepareApp, SECRET_KEY, WARM_UP_DEVICES } from './app.ts';
import { bulkTimeoutMs } from './client.ts';
import { type BenchContext, keepOpen } from './context.ts';
import { makeDir } from './directory.ts';
import type { BenchDatabase } from './postgres.ts';
import { readAnswer, startScript } from './programs.ts';

export interface BrowserApp extends BenchApp {
  vapid: VapidCredentials;
  /** A line for each browser: those of the warm-up, then those of the first bulk send. */
  file: string;
}

export const BROWSER_PAYLOAD = { title: 'Hello', alert: 'a'.repeat(160), order_id: 4711 };
/** 336 bytes, as Carillon makes it. */
export const BROWSER_TEXT = webPushText(
  { notificationId: '00000000-0000-4000-8000-000000000000', payload: BROWSER_PAYLOAD },
  null,
);
/** Each selects `devices` browsers. */
export const FIRST_HALF = [{ name: 'locale', criteria: ['fr_FR'] }];
export const SECOND_HALF = [{ name: 'locale', criteria: ['de_DE'] }];

const INSERT_AT_ONCE = 5_000;

/** Creates twice as many browsers as `devices`, and those of the warm-up. */
export async function createBrowserApp(context: BenchContext, database: BenchDatabase): Promise<BrowserApp> {
  const { sink, devices } = context;
  const { db, sql } = database;
  const bundleId = 'com.example.web';
  const { id } = await createApp(db, { bundleId, name: bundleId }, systemClock);
  const vapid = { ...makeVapidKey(), subject: 'mailto:push@example.com', url: null };
  await putVapidCredentials(db, parseSecretKey(SECRET_KEY), { appId: id, ...vapid }, systemClock);
  const { key } = await createApiKey(db, { appId: id, scopes: ['read', 'write'] }, systemClock);
  const all = WARM_UP_DEVICES + 2 * devices;
  const lines: string[] = [];
  for (let start = 0; start < all; start += INSERT_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(INSERT_AT_ONCE, all - start) },
      (_, index) => start + index,
    );
    const rows = numbers.map((number) => ({
      endpoint: `${sink.apnsUrl}/push/${hash('sha512', `endpoint ${number}`, 'base64url')}`,
      keys: keysOf(number),
      locale: number < WARM_UP_DEVICES ? 'en_GB' : number < WARM_UP_DEVICES + devices ? 'fr_FR' : 'de_DE',
      tags: number < WARM_UP_DEVICES ? ['warm-up'] : [],
    }));
    lines.push(...rows.map(({ endpoint, keys }) => `${endpoint} ${keys}`));
    await sql.query(
      `insert into devices (app_id, id, platform, push_token, push_token_type, subscription_keys, token_registered_at,
         created_at, registered_at, locale, time_zone, tags)
       select $1, gen_random_uuid(), 'Web', endpoint, 'subscription', keys, now(), now(), now(), locale, 'Europe/Paris', tags
       from jsonb_to_recordset($2) as (endpoint text, keys text, locale text, tags text[])`,
      [id, JSON.stringify(rows)],
    );
  }
  const file = path.join(await makeDir(context), 'browsers');
  await writeFile(file, lines.join('\n'));
  const { warmUpDevices } = await prepareApp(database, id);
  return { id, bundleId, key, devices, halfDevices: devices, warmUpDevices, vapid, file };
}

/** `<p256dh>.<auth>`, the same in each run. */
export function keysOf(number: number): string {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(hash('sha256', `browser ${number}`, 'buffer'));
  return `${pair.getPublicKey('base64url')}.${hash('md5', `secret ${number}`, 'base64url')}`;
}

const PROGRAM = new URL('../processes/browser-sender.ts', import.meta.url);
/** A rate that does not depend on the number of browsers needs no more of them. */
const LIBRARY_DEVICES_MAX = 10_000;

const phase = z.object({ accepted: z.number(), cpuMs: z.number(), durationMs: z.number() });

export interface BrowserRun {
  pushesPerSecond: number;
  /** Processor time of a push in all processes of the sender. */
  microseconds: number;
}

/** @returns the first bulk send, and for the loop the same once more */
export async function runBrowserBaseline(
  context: BenchContext,
  { vapid, file, ...app }: BrowserApp,
  kind: 'library' | 'loop',
  processes: number,
): Promise<BrowserRun[]> {
  const { caFile } = context.sink;
  const [devices, times] =
    kind === 'library' ? [Math.min(app.devices, LIBRARY_DEVICES_MAX), 1] : [app.devices, 2];
  const input = { kind, processes, caFile, vapid, text: BROWSER_TEXT, file, warmUp: 2_500, devices, times };
  const script = keepOpen(context, startScript(PROGRAM, input));
  const runs: BrowserRun[] = [];
  for (let time = 0; time < times; time++) {
    const { accepted, cpuMs, durationMs } = await readAnswer(script, phase, bulkTimeoutMs(devices));
    if (accepted !== devices) throw new Error(`${kind}: ${accepted} of ${devices} pushes were accepted`);
    runs.push({ pushesPerSecond: devices / (durationMs / 1_000), microseconds: (cpuMs * 1_000) / devices });
  }
  await script.stop();
  return runs;
}
