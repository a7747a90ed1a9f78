/** Finds the notifications that use an audience, which therefore cannot be deleted. */
import type { Kysely } from 'kysely';
import type { Database, NotificationsTable } from '../db/tables.ts';
import { isBeingSent, isScheduled } from '../unended.ts';

export interface AudienceUse {
  id: string;
  state: Extract<NotificationsTable['state'], 'scheduled' | 'sending'>;
  createdAt: Date;
  /** When it is, or was, due. */
  dueAt: Date;
}

/** Enough for a person. One more is read, to know whether there are more. */
const USES_MAX = 20;

/** @returns notifications that are being sent, then scheduled ones, at most `USES_MAX` of each */
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
