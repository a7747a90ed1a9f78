/** Apps with devices by the hundred thousand, inserted by Postgres itself. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { createApp } from '../../src/apps/apps.ts';
import { putApnsCredentials, putFcmCredentials } from '../../src/apps/credentials.ts';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { systemClock } from '../../src/clock.ts';
import { BUNDLE_IDS, type Platforms } from './credentials.ts';
import type { BenchDatabase } from './postgres.ts';
import { buildBitmaps } from '../../src/targeting/bitmaps/build.ts';
import { indexAllDeferred } from './index-all-deferred.ts';
import type { Sink } from './sink.ts';

export interface BenchApp {
  id: string;
  bundleId: string;
  /** An API key that may read and write. */
  key: string;
  devices: number;
  /** Of those, the ones that `HALF` selects, and `WARM_UP`. */
  halfDevices: number;
  warmUpDevices: number;
}

/** Seals the credentials of the run; the same for every process. */
export const SECRET_KEY = '0'.repeat(64);

/** Selects half of each platform's devices. */
export const HALF = [{ name: 'locale', criteria: ['fr_FR'] }];
/** A few thousand devices, for the broadcasts before the first measured one. */
export const WARM_UP = [{ name: 'tags', criteria: ['warm-up'] }];
const WARM_UP_DEVICES = 5_000;

export async function createBenchApp(
  { db, sql }: BenchDatabase,
  sink: Sink,
  { platforms, devices }: { platforms: Platforms; devices: number },
): Promise<BenchApp> {
  const secret = parseSecretKey(SECRET_KEY);
  const bundleId = BUNDLE_IDS[platforms];
  const { id } = await createApp(db, { bundleId, name: bundleId }, systemClock);
  const { apns, serviceAccount } = sink.credentials;
  await putApnsCredentials(db, secret, { appId: id, ...apns }, systemClock);
  await putFcmCredentials(db, secret, { appId: id, serviceAccount }, systemClock);
  const { key } = await createApiKey(db, { appId: id, scopes: ['read', 'write'] }, systemClock);
  // Tokens as long as the real ones: 64 hexadecimal digits, or some 160 characters.
  await sql.query(
    `insert into devices (app_id, id, platform, push_token, token_registered_at, created_at, registered_at,
       locale, time_zone, os_name, os_version, app_version, sdk_version, country, marketing_name, user_id,
       notifications_allowed, tags, custom)
     select $1::uuid, gen_random_uuid(), platform,
       case platform when 'iOS' then token else left(token, 22) || ':' || repeat(token, 2) || left(token, 12) end,
       now(), now(), now(),
       case when n % 4 < 2 then 'fr_FR' else 'de_DE' end, 'Europe/Paris', platform,
       case platform when 'iOS' then '26.1' else '16' end, '2.' || n % 20, '1.4', 'FR',
       case platform when 'iOS' then 'iPhone 17' else 'Pixel 10' end, 'user-' || n, 'Enabled',
       case when n <= $4::integer then array['warm-up'] else '{}' end,
       '{"plan": {"type": "string", "value": "free"}}'
     from (
       select n, encode(sha256(convert_to($1::uuid::text || n, 'UTF8')), 'hex') as token,
         case when $3::text = 'both' then (array['iOS', 'Android'])[1 + n % 2] else $3 end as platform
       from generate_series(1, $2::integer) as n
     ) as device`,
    [id, devices, platforms, WARM_UP_DEVICES],
  );
  // So that no round has to share the machine with what comes after an import, sealing, autovacuum or a checkpoint.
  await indexAllDeferred(db);
  await sql.query('vacuum (analyze) devices, device_targets, device_registrations');
  await buildBitmaps(db, new AbortController().signal);
  await sql.query('checkpoint');
  const { rows } = await sql.query(
    `select count(*) filter (where locale = 'fr_FR')::integer as half,
       count(*) filter (where 'warm-up' = any(tags))::integer as "warmUp"
     from devices where app_id = $1`,
    [id],
  );
  const counts = z.array(z.object({ half: z.number(), warmUp: z.number() })).parse(rows)[0];
  const { half: halfDevices = 0, warmUp: warmUpDevices = 0 } = counts ?? {};
  return { id, bundleId, key, devices, halfDevices, warmUpDevices };
}

/** Ids of iPhones, to be pushed to one by one. */
export async function readIphoneIds({ sql }: BenchDatabase, app: BenchApp, limit: number): Promise<string[]> {
  const { rows } = await sql.query(`select id from devices where app_id = $1 and platform = 'iOS' limit $2`, [
    app.id,
    limit,
  ]);
  return z
    .array(z.object({ id: z.string() }))
    .parse(rows)
    .map(({ id }) => id);
}

export interface TokenFiles {
  /** A push token a line. */
  iOS: string;
  Android: string;
}

/** Writes an app's push tokens for the senders that know no database. */
export async function writeTokenFiles(
  { sql }: BenchDatabase,
  app: BenchApp,
  dir: string,
): Promise<TokenFiles> {
  const write = async (platform: 'iOS' | 'Android'): Promise<string> => {
    const { rows } = await sql.query(
      `select coalesce(string_agg(push_token, e'\\n'), '') as tokens from devices
       where app_id = $1 and platform = $2`,
      [app.id, platform],
    );
    const [{ tokens } = { tokens: '' }] = z.array(z.object({ tokens: z.string() })).parse(rows);
    const file = path.join(dir, `${app.id}.${platform}`);
    await writeFile(file, tokens);
    return file;
  };
  return { iOS: await write('iOS'), Android: await write('Android') };
}

export async function readTokens(file: string): Promise<string[]> {
  return Array.fromAsync(createInterface({ input: createReadStream(file) }));
}
