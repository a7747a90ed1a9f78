import type { Kysely, Updateable } from 'kysely';
import type { AuditAction } from '../audit/actions.ts';
import type { Author } from '../audit/author.ts';
import { inTransaction, recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';

/**
 * Changes an app, and records these columns as they were and as they are.
 * @param author for the audit log; undefined: no entry
 */
export async function changeApp(
  db: Kysely<Database>,
  appId: string,
  {
    action,
    columns,
    set,
  }: { action: AuditAction; columns: readonly (keyof Database['apps'])[]; set: Updateable<Database['apps']> },
  clock: Clock,
  author: Author | undefined,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const before = await transaction
      .selectFrom('apps')
      .select(columns)
      .where('id', '=', appId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    const after = await transaction
      .updateTable('apps')
      .set(set)
      .where('id', '=', appId)
      .returning(columns)
      .executeTakeFirstOrThrow();
    await recordChange(transaction, author, { appId, action, before, after }, clock);
  });
}
