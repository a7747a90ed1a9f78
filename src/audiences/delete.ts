/**
 * Deletes audiences. The row stays, because notifications refer to it, but gets another fingerprint, so that the same
 * filters create a new audience. A deleted audience can no longer be read, listed or targeted.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Author } from '../audit/author.ts';
import { recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database, NotificationsTable } from '../db/tables.ts';
import { ApiError } from '../api/errors.ts';
import { isBeingSent, isScheduled } from '../unended.ts';
import { lockAudience } from './audience-store.ts';

/**
 * @param author for the audit log; undefined: no entry
 * @throws {ApiError} `not_found` if the app has no such audience or it was deleted, `audience_built_in` for the audience of
 *   all devices, `audience_in_use` while a notification to it is scheduled or being sent
 */
export async function deleteAudience(
  db: Kysely<Database>,
  appId: string,
  id: string,
  clock: Clock,
  author?: Author,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const name = await deleteIn(transaction, appId, id, clock);
    const change = { appId, action: 'audience.deleted', objectId: id, before: { name } } as const;
    await recordChange(transaction, author, change, clock);
  });
}

/** Does the same as `deleteAudience`, inside a transaction of the caller, and records nothing. @returns its name */
export async function deleteIn(
  transaction: Kysely<Database>,
  appId: string,
  id: string,
  clock: Clock,
): Promise<string> {
  // Because of the lock, the check below sees every notification created before, and one created later does
  // not find the audience.
  const { name } = await lockAudience(transaction, appId, id);
  const { numUpdatedRows } = await transaction
    .updateTable('audiences as a')
    .set({ deleted_at: clock(), fingerprint: noFingerprint })
    .where('a.app_id', '=', appId)
    .where('a.id', '=', id)
    .where(isAtRest)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new ApiError('audience_in_use');
  return name;
}

/** The fingerprint of a deleted audience `a`. No list of filters and no other audience has it. */
export const noFingerprint: RawBuilder<Buffer> = sql`sha256(convert_to('deleted ' || a.id, 'UTF8'))`;

/** True if no notification to the audience `a` is scheduled or being sent. */
export const isAtRest: RawBuilder<SqlBool> = sql`not exists (
    select from notifications as n where n.app_id = a.app_id and n.audience_id = a.id and ${isScheduled('n')}
  ) and not exists (
    select from notifications as n where n.app_id = a.app_id and n.audience_id = a.id and ${isBeingSent('n')}
  )`;

export interface AudienceUse {
  id: string;
  state: Extract<NotificationsTable['state'], 'scheduled' | 'sending'>;
  createdAt: Date;
  /** When it is, or was, due. */
  dueAt: Date;
}

/** Of each state: enough for a person. */
const USES_MAX = 20;

/**
 * @returns the notifications because of which an audience cannot be deleted: those being sent, then scheduled
 *   ones, at most `USES_MAX` of each, in the order in which they are due
 */
export async function readAudienceUses(
  db: Kysely<Database>,
  appId: string,
  id: string,
): Promise<AudienceUse[]> {
  const uses: AudienceUse[] = [];
  for (const state of ['sending', 'scheduled'] as const) {
    const rows = await db
      .selectFrom('notifications')
      .select(['id', 'created_at', 'due_at'])
      .where('app_id', '=', appId)
      .where('audience_id', '=', id)
      .where(state === 'sending' ? isBeingSent('notifications') : isScheduled('notifications'))
      .orderBy('due_at')
      .limit(USES_MAX)
      .execute();
    uses.push(...rows.map((row) => ({ id: row.id, state, createdAt: row.created_at, dueAt: row.due_at })));
  }
  return uses;
}
