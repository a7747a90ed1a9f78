/** The rows of new devices, as an import copies them into `devices`. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { COPY_NULL, copyIn, copyText } from '../../db/copy-in.ts';
import type { Database } from '../../db/tables.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { changeFrom } from '../to-columns.ts';
import { attributesSet } from '../custom-attributes.ts';
import type { DeviceRegistration } from '../device-schema.ts';
import type { NumberedDevice } from './batch.ts';
import { readDeviceAgain } from './line.ts';
import type { Turns } from './turns.ts';

/** No app has presented the token here: whatever a gateway says of it is newer. */
const NEVER = new Date(0);

/** Odd, so that 256 steps meet every byte; and any few of them lie well apart. */
const STRIDE = 157;
const LINES_A_STEP = 512;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** In their order: first what `copyDevices` knows, then what `rowOf` does. */
const COLUMNS = `app_id, id, created_at, registered_at, push_token, push_token_type, token_registered_at, platform, locale,
  time_zone, badge, os_name, os_version, app_version, sdk_version, country, marketing_name, user_id, user_email, development,
  notifications_allowed, tags, latitude, longitude, sdk_latitude, sdk_longitude, custom`;

/**
 * Copies devices that are new into the table, in the order of their push tokens, so that two imports wait in a line.
 * @param newId of the device of a line
 * @throws a unique violation where the app has one of the tokens already
 */
export async function copyDevices(
  db: Kysely<Database>,
  appId: string,
  devices: readonly NumberedDevice[],
  { newId, now, turns }: { newId: NewId; now: Date; turns: Turns },
): Promise<void> {
  await turns.whenFree();
  const inOrder = devices.toSorted((left, right) => (left.pushToken < right.pushToken ? -1 : 1));
  const moment = now.toISOString();
  const rows: string[] = [];
  for (const { line, bytes, row } of inOrder) {
    if (row === undefined) await turns.whenFree();
    rows.push(`${appId}\t${newId(line)}\t${moment}\t${moment}\t${row ?? rowOf(readDeviceAgain(bytes))}`);
  }
  await turns.whenFree();
  await copyIn(db, 'devices', COLUMNS, rows);
}

/** What a line says, as the rest of such a row, with what a device has that never told. */
export function rowOf(registration: DeviceRegistration): string {
  const { columns } = changeFrom(registration, registration.push_token, NEVER);
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
    columns.development === true ? 't' : 'f',
    columns.notifications_allowed ?? 'Unknown',
    arrayOf(columns.tags),
    numberOf(columns.latitude),
    numberOf(columns.longitude),
    numberOf(columns.sdk_latitude),
    numberOf(columns.sdk_longitude),
    copyText(stringifyJson(attributesSet(registration.custom))),
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
  // Without escapes, JSON writes texts as Postgres does.
  const json = JSON.stringify(values);
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`;
  return copyText(`{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`);
}

/** The id of the device of a line. */
export type NewId = (line: number) => string;

/**
 * Ids for the new devices of an import: random, but for two bytes. The first goes evenly over all ids, which deliveries
 * cut into ranges; the second goes over its values once in 131,072 lines. So neighbours lie at 256 places of each index
 * that leads with ids, and those who follow lie beside them, where Postgres has the pages at hand.
 */
export function idsOfImport(): NewId {
  const [start = 0, step = 0] = randomBytes(2);
  return (line) => {
    const first = (start + line * STRIDE) % 256;
    const second = (step + Math.floor(line / LINES_A_STEP)) % 256;
    return `${HEX[first] ?? ''}${HEX[second] ?? ''}${randomUUID().slice(4)}`;
  };
}
