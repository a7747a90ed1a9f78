/** Reads the audit log of an app, newest first: in pages, or all that matches as a stream of lines. */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../db/tables.ts';
import { instant } from '../time/instant.ts';
import { stringifyJson, unstorableText } from '../json/lossless.ts';
import { cursorOf, pageCursor, type Position, wholeNumber } from '../api/page-cursor.ts';
import { idText, pageMeta, timeText } from '../api/reply.ts';
import { auditActions } from './actions.ts';
import { readObjectNames } from './object-names.ts';

const PER_PAGE_MAX = 100;
const PER_PAGE_DEFAULT = 50;
/** An entry is a few hundred bytes. */
const EXPORTED_AT_ONCE = 500;

const facts = z.record(z.string(), z.unknown()).nullable();

export const auditEntryReply = z
  .strictObject({
    id: idText,
    at: timeText,
    by: z
      .strictObject({
        kind: z.enum(['key', 'user', 'command_line', 'server']),
        id: z
          .string()
          .describe(
            'The id of the API key or the user; `command_line` for a command; `server` for a periodic job.',
          ),
        name: z
          .string()
          .nullable()
          .describe('The name of the user or of the key at that time; null if it had none.'),
      })
      .meta({ id: 'AuditAuthor' }),
    action: z.string().describe('The code of the change, such as `key.revoked`; new codes may be added.'),
    object_id: z.string().nullable().describe('The id of the changed object; null if it has none.'),
    object_name: z
      .string()
      .nullable()
      .describe(
        'What it is called now: the title of a notification, the user and model of a device, a name. Null if it is gone or has none, for a key without the permission `read`, and in exports.',
      ),
    before: facts.describe('The changed parts before; null if there was nothing.'),
    after: facts.describe('The changed parts afterwards; null if nothing is left.'),
    address: z.string().nullable().describe('The IP address of the caller; null for a command.'),
    request_id: z.string().nullable().describe('The `x-request-id` of the call; null for a command.'),
  })
  .meta({ id: 'AuditEntry' });

export const auditListReply = z
  .strictObject({
    entries: z.array(auditEntryReply),
    meta: pageMeta,
  })
  .meta({ id: 'AuditList' });

const TEXT_RULE = 'must be the text of an id';
const textFilter = z
  .string(TEXT_RULE)
  .min(1, TEXT_RULE)
  .max(255, TEXT_RULE)
  .refine((text) => unstorableText(text) === undefined, TEXT_RULE);
const ACTION_RULE = `must be one of ${auditActions.join(', ')}`;

/** The parameters that filter the log. */
export const auditFilterQuery = z.object({
  by: textFilter.describe('Only changes by this key or user: its id, `command_line` or `server`.').optional(),
  action: z.enum(auditActions, ACTION_RULE).describe('Only changes with this code.').optional(),
  object: textFilter.describe('Only changes of the object with this id.').optional(),
  from: instant
    .meta({
      type: 'string',
      description: 'Only changes since this time: ISO 8601, in UTC unless it has an offset.',
    })
    .optional(),
  to: instant.meta({ type: 'string', description: 'Only changes before this time.' }).optional(),
});

export const auditListQuery = auditFilterQuery.extend({
  per: wholeNumber(PER_PAGE_MAX, 'Entries per page.').default(PER_PAGE_DEFAULT),
  cursor: pageCursor,
});

type AuditEntry = z.output<typeof auditEntryReply>;
type AuditFilter = z.output<typeof auditFilterQuery>;

/** @param options.isNamed whether the reader may know what the changed objects are called: titles, users and models */
export async function listAudit(
  db: Kysely<Database>,
  appId: string,
  { per, cursor: after, ...filter }: z.output<typeof auditListQuery>,
  { isNamed }: { isNamed: boolean },
): Promise<z.output<typeof auditListReply>> {
  // One more, to know whether there is a next page.
  const rows = await readEntries(db, appId, filter, { after, limit: per + 1 });
  const names = isNamed ? await readObjectNames(db, appId, rows) : NO_NAMES;
  const page = rows.slice(0, per).map((row) => entryOf(row, names));
  const last = rows.length > per ? page.at(-1) : undefined;
  return { entries: page, meta: { cursor: last === undefined ? null : cursorOf(positionOf(last)) } };
}

/**
 * All matching entries as NDJSON, in chunks of many lines. Reads the next page only when the previous chunk was taken, and
 * holds no connection in between. Entries that are added meanwhile are not included. The objects have no names: what is exported
 * is kept elsewhere, where no user is forgotten.
 */
export async function* exportAudit(
  db: Kysely<Database>,
  appId: string,
  filter: AuditFilter,
): AsyncGenerator<string, void> {
  let after: Position | undefined;
  for (;;) {
    const rows = await readEntries(db, appId, filter, { after, limit: EXPORTED_AT_ONCE });
    const entries = rows.map((row) => entryOf(row, NO_NAMES));
    if (entries.length > 0) yield entries.map((entry) => `${stringifyJson(entry)}\n`).join('');
    const last = entries.at(-1);
    if (last === undefined || entries.length < EXPORTED_AT_ONCE) return;
    after = positionOf(last);
  }
}

/** Reads one range of an index: entries after a position, newest first. */
function readEntries(
  db: Kysely<Database>,
  appId: string,
  { by, action, object, from, to }: AuditFilter,
  { after, limit }: { after: Position | undefined; limit: number },
) {
  let select = db
    .selectFrom('audit_log')
    .selectAll()
    .where('app_id', '=', appId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (by !== undefined) select = select.where('by_id', '=', by);
  if (action !== undefined) select = select.where('action', '=', action);
  if (object !== undefined) select = select.where('object_id', '=', object);
  if (from !== undefined) select = select.where('at', '>=', from);
  if (to !== undefined) select = select.where('at', '<', to);
  if (after !== undefined) {
    select = select.where(sql<boolean>`(at, id) < (${after.createdAt}, ${after.id}::uuid)`);
  }
  return select.execute();
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

function entryOf(
  row: Awaited<ReturnType<typeof readEntries>>[number],
  names: ReadonlyMap<string, string>,
): AuditEntry {
  return {
    id: row.id,
    at: row.at.toISOString(),
    by: { kind: row.by_kind, id: row.by_id, name: row.by_name },
    action: row.action,
    object_id: row.object_id,
    object_name: names.get(row.object_id ?? '') ?? null,
    before: factsOf(row.before),
    after: factsOf(row.after),
    address: row.address,
    request_id: row.request_id,
  };
}

function factsOf(stored: unknown): AuditEntry['before'] {
  return stored === null ? null : facts.parse(stored);
}

function positionOf({ at, id }: AuditEntry): Position {
  return { createdAt: new Date(at), id };
}
