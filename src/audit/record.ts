/** Adds entries to the audit log, in the transaction of the change that they describe. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { AuditAction } from './actions.ts';
import type { Author } from './author.ts';

/** Facts about the changed object: ids, names, states and counts. No secrets, push tokens, payloads or e-mail addresses. */
type Facts = Readonly<Record<string, unknown>>;

export interface Change {
  appId: string;
  action: AuditAction;
  objectId?: string | undefined;
  /** Undefined if there was nothing before. */
  before?: Facts | undefined;
  /** Undefined if there is nothing afterwards. */
  after?: Facts | undefined;
}

/**
 * Adds an entry. Call it with the transaction of the change, so that both are stored, or neither.
 * @param author undefined: the change is not recorded
 */
export async function recordChange(
  transaction: Kysely<Database>,
  author: Author | undefined,
  { appId, action, objectId, before, after }: Change,
  clock: Clock,
): Promise<void> {
  if (author === undefined) return;
  const { by, address, requestId } = author;
  await transaction
    .insertInto('audit_log')
    .values({
      app_id: appId,
      id: randomUUID(),
      at: clock(),
      by_kind: by.kind,
      by_id: by.id,
      by_name: by.name,
      action,
      object_id: objectId ?? null,
      before: before === undefined ? null : stringifyJson(before),
      after: after === undefined ? null : stringifyJson(after),
      address,
      request_id: requestId,
    })
    .execute();
}

/** Runs `work` in a transaction: in the current one, if `db` is a transaction. */
export async function inTransaction<Result>(
  db: Kysely<Database>,
  work: (transaction: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
