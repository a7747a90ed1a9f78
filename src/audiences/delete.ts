/**
 * Deletes audiences. The row stays, for notifications refer to it, and loses its fingerprint, so that the same
 * specification makes a new audience. Nobody can read, list or target it any more.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import { isUuid } from '../uuid.ts';

/**
 * @throws {ApiError} `not_found` where the app has no such audience (any more), `audience_built_in` for that of all
 *   devices, `audience_in_use` while a notification to it is scheduled or being sent
 */
export async function deleteAudience(
  db: Kysely<Database>,
  appId: string,
  id: string,
  clock: Clock,
): Promise<void> {
  await db.transaction().execute(async (transaction) => deleteIn(transaction, appId, id, clock));
}

/** The same in a transaction. */
export async function deleteIn(
  transaction: Kysely<Database>,
  appId: string,
  id: string,
  clock: Clock,
): Promise<void> {
  // Whoever makes a notification holds the audience against this lock. So all that were made before are seen below,
  // and who comes later finds no audience.
  const audience = isUuid(id)
    ? await transaction
        .selectFrom('audiences as a')
        .select('a.kind')
        .where('a.app_id', '=', appId)
        .where('a.id', '=', id)
        .where('a.deleted_at', 'is', null)
        .forUpdate()
        .executeTakeFirst()
    : undefined;
  if (audience === undefined) throw new ApiError('not_found', { message: 'There is no such audience.' });
  if (audience.kind === 'everyone') throw new ApiError('audience_built_in');
  const { numUpdatedRows } = await transaction
    .updateTable('audiences as a')
    .set({ deleted_at: clock(), fingerprint: noFingerprint })
    .where('a.app_id', '=', appId)
    .where('a.id', '=', id)
    .where(isAtRest)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new ApiError('audience_in_use');
}

/** The fingerprint of a deleted audience `a`: no specification has it, and no other audience. */
export const noFingerprint: RawBuilder<Buffer> = sql`sha256(convert_to('deleted ' || a.id, 'UTF8'))`;

/** No notification to the audience `a` is scheduled or being sent: looked for among those alone, by their indexes. */
export const isAtRest: RawBuilder<SqlBool> = sql`not exists (
    select from notifications as n where n.app_id = a.app_id and n.audience_id = a.id and n.state = 'scheduled'
  ) and not exists (
    select from notifications as n where n.app_id = a.app_id and n.audience_id = a.id and n.state = 'sending'
  )`;
