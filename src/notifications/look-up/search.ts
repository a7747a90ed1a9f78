/**
 * Searches an app's notifications, newest first. Notifications are indexed by time and by id, but not by state or
 * words: such a search reads a bounded number and reports where it stopped, so no call scans millions. The next page
 * goes on from there.
 */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import { bulkShare } from '../../scheduling/event-loop-share.ts';
import { parseJson } from '../../json/lossless.ts';
import type { Position } from '../../api/page-cursor.ts';
import { isJsonObject } from '../../api/parse.ts';
import { FIRST_UUID, LAST_UUID } from '../../uuid.ts';
import { notificationStates } from '../counters.ts';

/** A search by state or by words reads at most this many notifications. */
export const SEARCHED_MAX = 10_000;
/** Of the notifications whose JSON contains the words, this many are parsed to check that the words are in a text. */
const CANDIDATES_MAX = 500;
const CANDIDATES_AT_ONCE = 125;

const ID_CHARACTERS_MIN = 8;
const HEX = '[0-9A-Fa-f]';
const WRITTEN_ID = new RegExp(
  `^${HEX}{${ID_CHARACTERS_MIN}}${[4, 4, 4].reduce((rest, digits) => `(?:-(?:${HEX}{0,${digits - 1}}|${HEX}{${digits}}${rest}))?`, `(?:-${HEX}{0,12})?`)}$`,
);
const WORDS_MAX = 10;
const TEXT_LENGTH_MAX = 200;

const idRule = `must be the id of a notification, or at least its first ${ID_CHARACTERS_MIN} characters`;
const textRule = `must have 1 to ${WORDS_MAX} words, and at most ${TEXT_LENGTH_MAX} characters`;

export const filterQuery = {
  state: z
    .enum(notificationStates, `must be one of ${notificationStates.join(', ')}`)
    .meta({ description: 'Only notifications in this state.' })
    .optional(),
  id: z
    .string(idRule)
    .regex(WRITTEN_ID, idRule)
    .toLowerCase()
    .meta({
      type: 'string',
      description: 'Only notifications whose id is this or begins with it: at least its first 8 characters.',
    })
    .optional(),
  text: z
    .string(textRule)
    .max(TEXT_LENGTH_MAX, textRule)
    .transform((text) => wordsOf(text))
    .refine((words) => words.length > 0 && words.length <= WORDS_MAX, textRule)
    .meta({
      type: 'string',
      description:
        'Only notifications with all of these words (at most 10), or parts of words, in `title`, `subtitle` or `alert`.',
    })
    .optional(),
};

const filters = z.object(filterQuery);
export type NotificationFilters = z.output<typeof filters>;

interface SearchRange {
  /** Only older notifications. Undefined: from the newest on. */
  olderThan?: Position | undefined;
  /** Only newer notifications. Undefined: down to the oldest. */
  newerThan?: Position | undefined;
  limit: number;
  /** The most rows to read if no index finds the wanted ones. */
  searchedMax?: number;
}

type Columns<Row> = (
  select: SelectQueryBuilder<Database, 'notifications', object>,
) => SelectQueryBuilder<Database, 'notifications', Row & Found>;

interface Found {
  id: string;
  created_at: Date;
  /** Null if it is too long to read with many others: then `readBody` reads it. */
  body: string | null;
}

/** A body may have a megabyte, and a page a hundred of them. Nearly all are shorter than this. */
const BODY_BYTES_MAX = 8_192;

export const shortBody = sql<
  string | null
>`case when octet_length(body) <= ${sql.lit(BODY_BYTES_MAX)} then body end`.as('body');

export async function readBody(
  db: Kysely<Database>,
  appId: string,
  { id, body }: Pick<Found, 'id' | 'body'>,
): Promise<string> {
  if (body !== null) return body;
  const query = db
    .selectFrom('notifications')
    .select('body')
    .where('app_id', '=', appId)
    .where('id', '=', id);
  return (await query.executeTakeFirst())?.body ?? '{}'; // pruned in between
}

/**
 * @param columns selects at least `id`, `created_at` and `shortBody`
 * @returns the rows that were found, newest first, and the last position that was searched if the search ended before the
 *   end of the range and before `limit` was reached
 */
export async function searchNotifications<Row>(
  db: Kysely<Database>,
  appId: string,
  { state, id, text: words = [] }: NotificationFilters,
  { olderThan, newerThan, limit, searchedMax = SEARCHED_MAX }: SearchRange,
  columns: Columns<Row>,
): Promise<{ rows: (Row & Found)[]; stoppedAt: Position | undefined }> {
  const isBounded = id === undefined && (state !== undefined || words.length > 0);
  const bound = isBounded ? await nthPosition(db, appId, { olderThan, newerThan }, searchedMax) : undefined;

  const next = async (from: Position | undefined, count: number) => {
    let select = columns(source(db, appId, id))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(count);
    if (from !== undefined) select = select.where(isPast(from, '<'));
    if (newerThan !== undefined) select = select.where(isPast(newerThan, '>'));
    if (bound !== undefined) select = select.where(isPast(bound, '>='));
    if (state !== undefined) select = select.where('state', '=', state);
    for (const word of words) select = select.where(mayContain(word));
    return select.execute();
  };

  if (words.length === 0) return { rows: await next(olderThan, limit), stoppedAt: bound };
  const rows: (Row & Found)[] = [];
  let from = olderThan;
  for (let looked = 0; looked < CANDIDATES_MAX; looked += CANDIDATES_AT_ONCE) {
    const candidates = await next(from, CANDIDATES_AT_ONCE);
    for (const candidate of candidates) {
      from = { createdAt: candidate.created_at, id: candidate.id };
      await bulkShare.whenFree();
      const payload =
        candidate.body === null ? await readPayload(db, appId, candidate.id) : payloadIn(candidate.body);
      if (hasWords(payload, words)) rows.push(candidate);
      if (rows.length === limit) return { rows, stoppedAt: undefined };
    }
    if (candidates.length < CANDIDATES_AT_ONCE) return { rows, stoppedAt: bound };
  }
  return { rows, stoppedAt: from };
}

/** With an id, `offset 0` keeps the planner from reading the newest notifications until it meets one with this id. */
function source(db: Kysely<Database>, appId: string, id: string | undefined) {
  if (id === undefined) return db.selectFrom('notifications').where('app_id', '=', appId);
  return db.selectFrom((build) =>
    build
      .selectFrom('notifications')
      .selectAll()
      .where('app_id', '=', appId)
      .where('id', '>=', id + FIRST_UUID.slice(id.length))
      .where('id', '<=', id + LAST_UUID.slice(id.length))
      .offset(sql.lit(0))
      .as('notifications'),
  );
}

/** @returns the position of the last of `count` notifications of the range; undefined if it has fewer. Reads an index */
async function nthPosition(
  db: Kysely<Database>,
  appId: string,
  { olderThan, newerThan }: Pick<SearchRange, 'olderThan' | 'newerThan'>,
  count: number,
): Promise<Position | undefined> {
  let select = db
    .selectFrom('notifications')
    .select(['created_at', 'id'])
    .where('app_id', '=', appId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(count - 1)
    .limit(1);
  if (olderThan !== undefined) select = select.where(isPast(olderThan, '<'));
  if (newerThan !== undefined) select = select.where(isPast(newerThan, '>'));
  const row = await select.executeTakeFirst();
  return row && { createdAt: row.created_at, id: row.id };
}

/** A row comparison reads one range of the index (notifications_newest); two separate conditions would not. */
function isPast({ createdAt, id }: Position, operator: '<' | '>' | '>=') {
  return sql<boolean>`(created_at, id) ${sql.raw(operator)} (${createdAt}, ${id}::uuid)`;
}

function wordsOf(text: string): string[] {
  return [...new Set(text.split(/\s+/u).filter((word) => word !== ''))];
}

/**
 * A condition that is true for every notification with the word, and for some others. It searches the stored JSON. A
 * database with the locale C ignores the case of ASCII letters only, so the usual forms of the word are compared as
 * well.
 */
function mayContain(word: string) {
  const lower = word.toLowerCase();
  const forms = [word, lower, word.toUpperCase(), lower.replace(/^./u, (first) => first.toUpperCase())];
  const patterns = [...new Set(forms)].map((form) => {
    const asStored = JSON.stringify(form).slice(1, -1);
    return `%${asStored.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  });
  return sql<boolean>`body ilike any (${patterns}::text[])`;
}

function payloadIn(body: string): unknown {
  const notification = parseJson(body);
  return isJsonObject(notification) ? notification['payload'] : undefined;
}

/** Reads the payload alone: the long parts of a body are its target and translations. */
async function readPayload(db: Kysely<Database>, appId: string, id: string): Promise<unknown> {
  const row = await db
    .selectFrom('notifications')
    .select(sql<string | null>`body::json ->> 'payload'`.as('payload'))
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
  return parseJson(row?.payload ?? '{}');
}

function hasWords(payload: unknown, words: readonly string[]): boolean {
  if (!isJsonObject(payload)) return false;
  const texts = [payload['title'], payload['subtitle'], payload['alert']];
  const shown = texts
    .filter((text) => typeof text === 'string')
    .join('\n')
    .toLowerCase();
  return words.every((word) => shown.includes(word.toLowerCase()));
}
