/**
 * Records calls of console users whose handlers do not record them, because API keys make such calls too often for the
 * audit log: registering devices, for example. The entry follows the change in a separate statement: a user's single
 * push is stored with many others, and its row names the author anyway.
 */
import { z } from 'zod';
import type { Caller } from '../apps/caller.ts';
import type { Author } from '../audit/author.ts';
import type { AuditAction } from '../audit/actions.ts';
import { recordChange } from '../audit/record.ts';
import { databaseError } from '../db/database-error.ts';
import type { CallDeps } from './call-deps.ts';

interface RecordedCall {
  caller: Caller;
  params: Readonly<Record<string, string>>;
  author: () => Author;
}

const withId = z.object({ id: z.string() });
const created = z.union([
  withId,
  z.object({ device: withId }).transform(({ device }) => device),
  z.object({ audience: withId }).transform(({ audience }) => audience),
]);

/**
 * @param result what the handler has replied
 * @returns `result`. A failure to record is logged and does not fail the call, whose change is made and must not be
 *   repeated
 */
export async function recordUserCall<Result>(
  { db, clock, observe }: CallDeps,
  { caller, params, author }: RecordedCall,
  action: AuditAction,
  result: Promise<Result>,
): Promise<Result> {
  const reply = await result;
  // The id of a user of the app is left out: it may be an e-mail address.
  const objectId = created.safeParse(reply).data?.id ?? params['device_id'] ?? params['notification_id'];
  try {
    await recordChange(db, author(), { appId: caller.appId, action, objectId }, clock);
  } catch (error) {
    observe(databaseError(error, 'audit log'));
  }
  return reply;
}
