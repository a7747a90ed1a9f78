/** Copies new devices into the table: makes their ids and rows, and runs the statement. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { COPY_NULL, copyIn, copyText } from '../../db/copy-in.ts';
import type { Database } from '../../db/tables.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { attributeColumns, namesUser, toColumns } from '../to-columns.ts';
import { attributesSet } from '../custom-attributes.ts';
import type { DeviceRegistration } from '../device-schema.ts';

/** The line does not come from the app itself, so any report of a gateway counts as newer. */
export const NEVER = new Date(0);
const NEVER_TEXT = NEVER.toISOString();

/** Odd, so that 256 steps visit every byte value; large, so that consecutive values are far apart. */
const STRIDE = 157;
const LINES_PER_STEP = 512;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The columns that a line sets, except the custom attributes. `COLUMNS` has the order of `copyRow`. */
const LINE_COLUMNS = ['push_token', 'token_registered_at', 'quiet_hours', ...attributeColumns] as const;
const COLUMNS = ['app_id', 'id', 'created_at', 'registered_at', ...LINE_COLUMNS, 'custom'].join(', ');
/** The values of columns that are not null where a line leaves them out. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  development: false,
  notifications_allowed: 'Unknown',
  tags: [],
  country_from_address: false,
  location_from_address: false,
};

/**
 * @param rows from `copyRow`, sorted by push token, so that two imports do not deadlock
 * @throws a unique violation if the app already has one of the tokens
 */
export async function copyDevices(db: Kysely<Database>, rows: readonly string[]): Promise<void> {
  await copyIn(db, 'devices', COLUMNS, rows);
}

/**
 * Attributes that are left out get their default.
 * @param moment the time of the import, of ISO 8601
 */
export function copyRow(
  { appId, id, moment }: { appId: string; id: string; moment: string },
  registration: DeviceRegistration,
): string {
  // An import comes from the back end, which vouches for the users that it names.
  const isUserVerified = namesUser(registration);
  const { columns, custom } = toColumns(registration, registration.push_token, NEVER, isUserVerified);
  columns.platform = registration.platform;
  const values = LINE_COLUMNS.map((column) => copyValue(columns[column] ?? DEFAULTS[column]));
  values.push(copyText(stringifyJson(attributesSet(custom))));
  return `${appId}\t${id}\t${moment}\t${moment}\t${values.join('\t')}`;
}

function copyValue(value: unknown): string {
  if (value === null || value === undefined) return COPY_NULL;
  if (typeof value === 'string') return copyText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === NEVER) return NEVER_TEXT;
  if (Array.isArray(value)) return copyText(arrayOf(value));
  return copyText(JSON.stringify(value));
}

function arrayOf(texts: readonly unknown[]): string {
  // JSON quotes texts as Postgres does, if nothing has to be escaped.
  const json = JSON.stringify(texts);
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`;
  return `{${texts.map((text) => `"${String(text).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
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
