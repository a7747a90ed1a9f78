/** Copies new devices into the table: makes their ids and rows, and runs the statement. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { COPY_NULL, copyIn, copyText } from '../../db/copy-in.ts';
import type { Database } from '../../db/tables.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { namesUser, toColumns } from '../to-columns.ts';
import { attributesSet } from '../custom-attributes.ts';
import type { DeviceRegistration } from '../device-schema.ts';

/** The line does not come from the app itself, so any report of a gateway counts as newer. */
const NEVER = new Date(0);

/** Odd, so that 256 steps visit every byte value; large, so that consecutive values are far apart. */
const STRIDE = 157;
const LINES_PER_STEP = 512;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** `copyDevices` writes the first four in this order, and `copyRow` the others. */
const COLUMNS = `app_id, id, created_at, registered_at, push_token, push_token_type, token_registered_at, platform, locale,
  time_zone, badge, os_name, os_version, app_version, sdk_version, country, marketing_name, user_id, user_email, user_verified_at,
  development, notifications_allowed, tags, latitude, longitude, sdk_latitude, sdk_longitude, custom,
  subscription_keys, encryption_key`;

/**
 * @param devices with their rows from `copyRow`, sorted by push token, so that two imports do not deadlock
 * @throws a unique violation if the app already has one of the tokens
 */
export async function copyDevices(
  db: Kysely<Database>,
  { appId, now }: { appId: string; now: Date },
  devices: readonly { id: string; row: string }[],
): Promise<void> {
  const moment = now.toISOString();
  const rows = devices.map(({ id, row }) => `${appId}\t${id}\t${moment}\t${moment}\t${row}`);
  await copyIn(db, 'devices', COLUMNS, rows);
}

/**
 * The columns of a device that do not depend on the time of storing. Attributes that are left out get their default.
 */
export function copyRow(registration: DeviceRegistration): string {
  const { columns } = toColumns(registration, registration.push_token, NEVER);
  return [
    copyText(registration.push_token),
    columns.push_token_type ?? 'token',
    '1970-01-01T00:00:00Z',
    registration.platform,
    textOf(columns.locale),
    textOf(columns.time_zone),
    numberOf(columns.badge),
    textOf(columns.os_name),
    textOf(columns.os_version),
    textOf(columns.app_version),
    textOf(columns.sdk_version),
    textOf(columns.country),
    textOf(columns.marketing_name),
    textOf(columns.user_id),
    textOf(columns.user_email),
    // An import comes from the back end, which vouches for the users that it names.
    namesUser(registration) ? '1970-01-01T00:00:00Z' : COPY_NULL,
    columns.development === true ? 't' : 'f',
    columns.notifications_allowed ?? 'Unknown',
    arrayOf(columns.tags),
    numberOf(columns.latitude),
    numberOf(columns.longitude),
    numberOf(columns.sdk_latitude),
    numberOf(columns.sdk_longitude),
    copyText(stringifyJson(attributesSet(registration.custom))),
    textOf(columns.subscription_keys),
    textOf(columns.encryption_key),
  ].join('\t');
}

function textOf(value: string | null | undefined): string {
  return typeof value === 'string' ? copyText(value) : COPY_NULL;
}

function numberOf(value: number | null | undefined): string {
  return typeof value === 'number' ? String(value) : COPY_NULL;
}

function arrayOf(values: readonly string[] | undefined): string {
  if (values === undefined || values.length === 0) return '{}';
  // JSON quotes texts as Postgres does, if nothing has to be escaped.
  const json = JSON.stringify(values);
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`;
  return copyText(`{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`);
}

/** Returns the id for the device of a line. */
export type NewId = (line: number) => string;

/**
 * Makes ids for the new devices of an import: random, except for two bytes. The first byte spreads neighbouring lines
 * evenly over all ids, because deliveries cut the ids into ranges. The second byte changes every 512 lines and repeats
 * after 131,072. So consecutive inserts touch the same 256 spots of each index that begins with the id, whose pages are
 * cached.
 */
export function idsOfImport(): NewId {
  const [start = 0, step = 0] = randomBytes(2);
  return (line) => {
    const first = (start + line * STRIDE) % 256;
    const second = (step + Math.floor(line / LINES_PER_STEP)) % 256;
    return `${HEX[first] ?? ''}${HEX[second] ?? ''}${randomUUID().slice(4)}`;
  };
}
