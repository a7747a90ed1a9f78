/** The statements on `audit_log`. There are only two: entries are added and read, never changed. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { Position } from '../api/page-cursor.ts';
import type { AuditAction } from './actions.ts';
import type { Author } from './author.ts';

interface NewEntry {
  appId: string;
  id: string;
  at: Date;
  author: Author;
  action: AuditAction;
  objectId: string | null;
  before: unknown;
  after: unknown;
}

export async function insertEntry(db: Kysely<Database>, entry: NewEntry): Promise<void> {
  const { by, address, requestId } = entry.author;
  await db
    .insertInto('audit_log')
    .values({
      app_id: entry.appId,
      id: entry.id,
      at: entry.at,
      by_kind: by.kind,
      by_id: by.id,
      by_name: by.name,
      action: entry.action,
      object_id: entry.objectId,
      before: entry.before === null ? null : stringifyJson(entry.before),
      after: entry.after === null ? null : stringifyJson(entry.after),
      address,
      request_id: requestId,
    })
    .execute();
}

/** If undefined, any value matches. */
export interface AuditFilter {
  /** The id of a key or user, `command_line` or `server`. */
  by?: string | undefined;
  action?: string | undefined;
  object?: string | undefined;
  from?: Date | undefined;
  /** The end of the range, not included. */
  to?: Date | undefined;
}

const columns = [
  'id',
  'at',
  'by_kind',
  'by_id',
  'by_name',
  'action',
  'object_id',
  'before',
  'after',
  'address',
  'request_id',
] as const;

/** Reads one range of an index: entries after a position, newest first. */
export function readEntries(
  db: Kysely<Database>,
  appId: string,
  { by, action, object, from, to }: AuditFilter,
  { after, limit }: { after: Position | undefined; limit: number },
) {
  let select = db
    .selectFrom('audit_log')
    .select(columns)
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
