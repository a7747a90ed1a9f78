/** What all peers push to: files of push tokens and keys for the libraries, an app with as many devices for Carillon. */
import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { createApp } from '../../src/apps/apps.ts';
import { putApnsCredentials } from '../../src/apps/credentials/store.ts';
import { systemClock } from '../../src/clock.ts';
import { makeVapidKey } from '../../src/gateways/web-push/vapid-key.ts';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import type { Sink } from '../sinks/sink.ts';
import { type BenchApp, prepareApp, SECRET_KEY, WARM_UP_DEVICES } from '../support/app.ts';
import { keysOf } from '../support/browsers.ts';
import { BUNDLE_IDS } from '../support/credentials.ts';
import type { BenchDatabase } from '../support/postgres.ts';

/** The sink writes when it had a push to a token that begins so. */
export const SINGLE_PREFIX = '00000000';
const SINGLES = 2_000;
/** Of browsers, that are used once. */
const RUNS = 2;

export const TOPIC = BUNDLE_IDS.iOS;
export const EVERYBODY = [{ name: 'locale', criteria: ['fr_FR'] }];

export interface PeerApp extends BenchApp {
  /** The devices of single pushes. */
  singles: readonly { id: string; push_token: string }[];
}

/** @param devices those that `EVERYBODY` selects */
export async function createPeerApp(
  database: BenchDatabase,
  { apns }: Sink['credentials'],
  devices: number,
): Promise<PeerApp> {
  const { db, sql } = database;
  const { id } = await createApp(db, { bundleId: TOPIC, name: TOPIC }, systemClock);
  await putApnsCredentials(db, parseSecretKey(SECRET_KEY), { appId: id, ...apns }, systemClock);
  const { key } = await createApiKey(db, { appId: id, scopes: ['read', 'write'] }, systemClock);
  await sql.query(
    `insert into devices (app_id, id, platform, push_token, token_registered_at, created_at, registered_at, locale,
       time_zone, user_id, tags)
     select $1::uuid, gen_random_uuid(), 'iOS', case locale when 'de_DE' then $5 || right(token, 56) else token end,
       now(), now(), now(), locale, 'Europe/Paris', 'user-' || n,
       case locale when 'en_GB' then array['warm-up'] else '{}' end
     from (
       select n, encode(sha256(convert_to($1::uuid::text || n, 'UTF8')), 'hex') as token,
         case when n <= $3::integer then 'en_GB' when n <= $3 + $4::integer then 'de_DE' else 'fr_FR' end as locale
       from generate_series(1, $2::integer + $3 + $4) as n
     ) as device`,
    [id, devices, WARM_UP_DEVICES, SINGLES, SINGLE_PREFIX],
  );
  const { warmUpDevices } = await prepareApp(database, id);
  const singles = await database.read(
    z.object({ id: z.string(), push_token: z.string() }),
    `select id, push_token from devices where app_id = $1 and locale = 'de_DE'`,
    [id],
  );
  return { id, bundleId: TOPIC, key, devices, halfDevices: devices, warmUpDevices, singles };
}

export interface PeerFiles {
  caFile: string;
  keyFile: string;
  keyId: string;
  teamId: string;
  serviceAccountFile: string;
  vapidFile: string;
  tokens: { Apple: string; Google: string; browsers: string };
}

/** @param devices those of a run; the first tokens are for warming up */
export async function writePeerFiles(sink: Sink, dir: string, devices: number): Promise<PeerFiles> {
  const write = async (name: string, text: string): Promise<string> => {
    const file = path.join(dir, name);
    await writeFile(file, text);
    return file;
  };
  const { apns, serviceAccount } = sink.credentials;
  const numbers = Array.from({ length: WARM_UP_DEVICES + RUNS * devices }, (_, number) => number);
  const lines = (line: (number: number) => string): string => numbers.map(line).join('\n');
  const vapid = { ...makeVapidKey(), subject: 'mailto:push@example.com', url: null };
  return {
    caFile: sink.caFile,
    keyFile: await write('key.p8', apns.privateKey),
    keyId: apns.keyId,
    teamId: apns.teamId,
    serviceAccountFile: await write('service-account.json', serviceAccount),
    vapidFile: await write('vapid.json', JSON.stringify(vapid)),
    tokens: {
      Apple: await write('apple', lines(token)),
      Google: await write(
        'google',
        lines((number) => `${token(number).slice(0, 22)}:${token(number).repeat(2)}abcd`),
      ),
      browsers: await write(
        'browsers',
        lines((number) => `/push/${hash('sha512', `endpoint ${number}`, 'base64url')} ${keysOf(number)}`),
      ),
    },
  };
}

function token(number: number): string {
  return hash('sha256', `token ${number}`);
}
