/**
 * Creates a channel at Apple. Apple accepts no name for it, so a request cannot be repeated safely: an attempt is
 * stored before the request and removed when its answer is stored. A channel that an interrupted attempt left at Apple
 * is found by comparing lists (`compare.ts`).
 */
import type { Kysely } from 'kysely';
import type { Author } from '../audit/author.ts';
import { recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../api/errors.ts';
import type { ApnsChannels, ChannelStorage } from '../gateways/apns/channels-at-apple.ts';
import type { Observe } from '../observe.ts';
import type { ChannelGateways } from './channel-gateways.ts';
import {
  type AppEnvironment,
  beginAttempt,
  channelsOf,
  endAttempt,
  insertChannel,
  markUsed,
} from './channel-store.ts';
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
  const { key, environment, storage = 'latest', apns_channel_id: takenOver } = wanted;
  const app = { appId, environment };
  const withKey = channelsOf(db, appId).where('environment', '=', environment).where('key', '=', key);
  const present = await withKey.executeTakeFirst();
  if (present !== undefined) return { channel: await useAgain(deps, appId, present, wanted), isNew: false };

  const apple = await requireApple(gateways, app);
  /** @returns undefined if a channel with this key, or with this id at Apple, exists */
  const store: Store = async (transaction, apnsChannelId, kept) => {
    const facts = { key, environment, storage: kept, apns_channel_id: apnsChannelId };
    const stored = await insertChannel(transaction, appId, facts, clock());
    if (stored === undefined) return undefined;
    const change = { appId, action: 'channel.created', objectId: stored.id, after: facts } as const;
    await recordChange(transaction, author, change, clock);
    return stored;
  };

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
  const stored = await createAtApple(deps, { ...app, apple, storage }, store);
  if (stored !== undefined) return { channel: channelJson(stored), isNew: true };
  const other = await withKey.executeTakeFirst();
  if (other === undefined) throw interrupted();
  return { channel: await useAgain(deps, appId, other, wanted), isNew: false };
}

type Store = (
  transaction: Kysely<Database>,
  apnsChannelId: string,
  storage: ChannelStorage,
) => Promise<ChannelRow | undefined>;

/** @returns undefined if another call has stored a channel with this key since */
async function createAtApple(
  { db, clock, observe }: ChannelDeps,
  { appId, environment, apple, storage }: AppEnvironment & { apple: ApnsChannels; storage: ChannelStorage },
  store: Store,
): Promise<ChannelRow | undefined> {
  const attempt = await beginAttempt(db, { appId, environment }, clock());
  const created = await observed('create', apple.create(storage, attempt), observe);
  if (created.kind !== 'done') {
    if (created.kind !== 'unavailable' || !created.mayBeDone) await endAttempt(db, appId, attempt);
    throw failureError(created);
  }
  const apnsChannelId = created.result;
  const stored = await db.transaction().execute(async (transaction) => {
    const row = await store(transaction, apnsChannelId, storage);
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
  const { storage = present.storage, apns_channel_id: apnsChannelId = present.apns_channel_id } = wanted;
  if (storage !== present.storage || apnsChannelId !== present.apns_channel_id) throw differs();
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
