/**
 * Creates the notifications of a batch. Each is created as if it had a call of its own; many are in progress at once, so
 * that they are stored together.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import { ApiError, type FaultDetail, invalidRequest } from '../api/errors.ts';
import { bulkShare, type EventLoopShare } from '../scheduling/event-loop-share.ts';
import { isJsonObject } from '../api/parse.ts';
import { createNotification, type CreateDeps, type CreateRequest } from './create.ts';
import { idempotencyKey } from './idempotency.ts';
import type { Intake } from './intake/intake.ts';
import type { CreatedNotification } from './look-up/notification-reply.ts';
import { parseRequest } from './request.ts';

export const BATCH_MAX = 1_000;

/** An item of a batch: its value as sent, `{notification, idempotency_key}`, or why it could not be read. */
export type BatchItem = { value: unknown; error?: never } | { error: ApiError };

/** The result of an item: the reply to its creation, or an `ApiError`, or the cause of a failure of ours. */
export type BatchOutcome = { created: CreatedNotification; error?: never } | { error: unknown };

export interface BatchDeps extends CreateDeps {
  intake: Intake;
  /** Limits how much of the event loop batches use. */
  share?: EventLoopShare;
}

type SharedFields = Omit<CreateRequest, 'body' | 'idempotencyKey'>;

const keyRule = 'must be 1 to 255 visible ASCII characters';

/**
 * Items are independent: a refused one does not affect the others. Of items with the same idempotency key, the first that is
 * valid is created, and the others get its reply.
 * @param items in the order in which they were sent, at most `BATCH_MAX`
 * @param request the fields that all items share
 * @param entryOf makes the entry of an item as soon as its outcome is known; must not throw
 * @returns the entries in the order of the items, once all outcomes are known
 */
export async function createBatch<Item extends BatchItem, Entry>(
  db: Kysely<Database>,
  items: readonly Item[],
  request: SharedFields,
  { share = bulkShare, ...deps }: BatchDeps,
  entryOf: (item: Item, outcome: BatchOutcome) => Entry,
): Promise<Entry[]> {
  const { batchLimit } = deps.intake;
  const create = async (value: unknown): Promise<CreatedNotification> => {
    const { body, key } = parseItem(value, deps.clock());
    return createNotification(db, { ...request, body, idempotencyKey: key }, deps);
  };
  const finish = async (item: Item): Promise<Entry> => {
    try {
      if (item.error !== undefined) return entryOf(item, item);
      return entryOf(item, { created: await create(item.value) });
    } catch (error) {
      return entryOf(item, { error });
    } finally {
      batchLimit.leave();
    }
  };

  const entries: Promise<Entry>[] = [];
  for (const item of items) {
    const entered = batchLimit.enter();
    if (entered !== undefined) await entered;
    const free = share.whenFree();
    if (free !== undefined) await free;
    entries.push(finish(item));
  }
  return Promise.all(entries);
}

/** @throws {ApiError} `invalid_request`, with all faults of the item if its key is one of them */
function parseItem(value: unknown, now: Date): { body: object; key?: string } {
  if (!isJsonObject(value)) throw invalidRequest([{ path: '', message: 'must be an object' }], 'The item');
  if (!Object.hasOwn(value, 'idempotency_key')) return { body: value };
  const { idempotency_key: sent, ...body } = value;
  const key = idempotencyKey.safeParse(sent);
  if (key.success) return { body, key: key.data };
  throw invalidRequest([{ path: 'idempotency_key', message: keyRule }, ...faultsIn(body, now)]);
}

function faultsIn(body: object, now: Date): readonly FaultDetail[] {
  try {
    parseRequest(body, now);
    return [];
  } catch (error) {
    if (error instanceof ApiError) return error.details;
    throw error;
  }
}
