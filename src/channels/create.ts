/**
 * Creates a channel at Apple. Apple accepts no name for it, so a request cannot be repeated safely: an attempt is
 * stored before the request and removed when its answer is stored. A channel that an interrupted attempt left at Apple
 * is found by comparing lists (`compare.ts`).
 */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Author } from '../audit/author.ts';
import { recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../api/errors.ts';
import type { ApnsChannels, ChannelStorage } from '../gateways/apns/channels-at-apple.ts';
import type { Observe } from '../observe.ts';
import type { ChannelGateways } from './channel-gateways.ts';
import { beginAttempt, endAttempt, findByKey, insertChannel, markUsed } from './channel-store.ts';
import { channelJson, type ChannelJson, type ChannelRequest, type ChannelRow } from './channel.ts';
import { lookBeforeCreating } from './compare.ts';
import { failureError, observed, requireApple } from './failure.ts';

export interface ChannelDeps {
  db: Kysely<Database>;
  /** Undefined: this process has no connection to Apple. */
  gateways: ChannelGateways | undefined;
  clock: Clock;
  observe: Observe;
}

const DEFAULT_STORAGE: ChannelStorage = 'latest';

/**
 * @returns the channel with this key; `isNew` if this call created it
 * @throws {ApiError} `channel_differs`, `channel_limit`, `gateway_refused`, `unavailable`
 */
export async function createChannel(
  deps: ChannelDeps,
  appId: string,
  wanted: ChannelRequest,
  author: Author,
): Promise<{ channel: ChannelJson; isNew: boolean }> {
  const { db, gateways, clock, observe } = deps;
  const app = { appId, environment: wanted.environment };
  const present = await findByKey(db, app, wanted.key);
  if (present !== undefined) return { channel: await useAgain(deps, appId, present, wanted), isNew: false };

  const apple = await requireApple(gateways, appId, wanted.environment);
  const id = randomUUID();
  const store = async (
    transaction: Kysely<Database>,
    apnsChannelId: string,
    storage: ChannelStorage,
  ): Promise<ChannelRow | undefined> => {
    const { key, environment } = wanted;
    const row = { id, key, environment, storage, apnsChannelId, now: clock() };
    const stored = await insertChannel(transaction, appId, row);
    const after = { key, environment, storage, apns_channel_id: apnsChannelId };
    const change = { appId, action: 'channel.created', objectId: id, after } as const;
    if (stored !== undefined) await recordChange(transaction, author, change, clock);
    return stored;
  };

  const { apns_channel_id: takenOver } = wanted;
  if (takenOver !== undefined) {
    const read = await observed('read', apple.read(takenOver), observe);
    if (read.kind !== 'done') throw failureError(read);
    if (wanted.storage !== undefined && wanted.storage !== read.result) throw differs();
    const stored = await db
      .transaction()
      .execute(async (transaction) => store(transaction, takenOver, read.result));
    if (stored === undefined)
      throw differs('The channel of Apple, or the key, is in use by another channel.');
    return { channel: channelJson(stored), isNew: true };
  }

  const failure = await lookBeforeCreating(deps, app, apple);
  if (failure !== undefined) throw failureError(failure);
  const stored = await createAtApple(
    deps,
    { ...app, apple },
    async (transaction, apnsChannelId) =>
      store(transaction, apnsChannelId, wanted.storage ?? DEFAULT_STORAGE),
    wanted.storage ?? DEFAULT_STORAGE,
  );
  if (stored !== undefined) return { channel: channelJson(stored), isNew: true };
  const other = await findByKey(db, app, wanted.key);
  if (other === undefined) throw interrupted();
  return { channel: await useAgain(deps, appId, other, wanted), isNew: false };
}

/** @returns undefined if another call has stored a channel with this key since */
async function createAtApple(
  { db, clock, observe }: ChannelDeps,
  {
    appId,
    environment,
    apple,
  }: { appId: string; environment: ChannelRequest['environment']; apple: ApnsChannels },
  store: (transaction: Kysely<Database>, apnsChannelId: string) => Promise<ChannelRow | undefined>,
  storage: ChannelStorage,
): Promise<ChannelRow | undefined> {
  const attempt = randomUUID();
  await beginAttempt(db, { appId, environment }, attempt, clock());
  const created = await observed('create', apple.create(storage, attempt), observe);
  if (created.kind !== 'done') {
    if (created.kind !== 'unavailable' || !created.mayBeDone) await endAttempt(db, appId, attempt);
    throw failureError(created);
  }
  const apnsChannelId = created.result;
  const stored = await db.transaction().execute(async (transaction) => {
    const row = await store(transaction, apnsChannelId);
    // The attempt is gone if this process stood still for minutes: then the channel counts as left over, and may have
    // been deleted.
    if (row !== undefined && !(await endAttempt(transaction, appId, attempt))) throw interrupted();
    return row;
  });
  if (stored !== undefined) return stored;
  // Another call with this key was faster. If the surplus channel cannot be deleted now, its attempt stays and leads to it.
  const deleted = await observed('delete', apple.delete(apnsChannelId), observe);
  if (deleted.kind === 'done') await endAttempt(db, appId, attempt);
  return undefined;
}

async function useAgain(
  { db, clock }: ChannelDeps,
  appId: string,
  present: ChannelRow,
  wanted: ChannelRequest,
): Promise<ChannelJson> {
  if (present.state === 'deleting') {
    throw differs('The channel with this key is being deleted; try again shortly, or use another key.');
  }
  if (
    (wanted.storage !== undefined && wanted.storage !== present.storage) ||
    (wanted.apns_channel_id !== undefined && wanted.apns_channel_id !== present.apns_channel_id)
  ) {
    throw differs();
  }
  const now = clock();
  await markUsed(db, appId, present.id, now);
  return channelJson({ ...present, used_at: now });
}

function differs(message?: string): ApiError {
  return new ApiError('channel_differs', message === undefined ? {} : { message });
}

function interrupted(): ApiError {
  return new ApiError('unavailable', { retryAfterSeconds: 1 });
}
