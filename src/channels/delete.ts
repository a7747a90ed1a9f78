/**
 * Deletes a channel: first it is marked, then deleted at Apple, then here. If Apple does not answer, the collector
 * repeats it.
 */
import type { Author } from '../audit/author.ts';
import { type Change, recordChange } from '../audit/record.ts';
import {
  type MarkedChannel,
  noSuchChannel,
  readChannelRow,
  removeChannel,
  setDeleting,
} from './channel-store.ts';
import { channelJson, type ChannelJson } from './channel.ts';
import type { ChannelDeps } from './create.ts';
import { failureError, observed, requireApple } from './failure.ts';

/**
 * @returns undefined if Apple has deleted it; the channel, in state `deleting`, if Apple is not available
 * @throws {ApiError} `not_found`, `gateway_refused`
 */
export async function deleteChannel(
  { db, gateways, clock, observe }: ChannelDeps,
  appId: string,
  id: string,
  author: Author,
): Promise<ChannelJson | undefined> {
  const present = await readChannelRow(db, appId, id);
  const apple = await requireApple(gateways, { appId, environment: present.environment });
  const marked = await db.transaction().execute(async (transaction) => {
    const row = await setDeleting(transaction, appId, id, true);
    if (row === undefined) throw noSuchChannel();
    const change = channelDeleted({ ...row, appId, apnsChannelId: row.apns_channel_id });
    if (present.state !== 'deleting') await recordChange(transaction, author, change, clock);
    return row;
  });
  const deleted = await observed('delete', apple.delete(marked.apns_channel_id), observe);
  if (deleted.kind === 'done') {
    await removeChannel(db, appId, id);
    return undefined;
  }
  if (deleted.kind === 'unavailable') return channelJson(marked);
  await db.transaction().execute(async (transaction) => {
    await setDeleting(transaction, appId, id, false);
    const after = { reason: deleted.reason };
    const change = { appId, action: 'channel.deletion_refused', objectId: id, after } as const;
    await recordChange(transaction, author, change, clock);
  });
  throw failureError(deleted);
}

export function channelDeleted({ appId, id, key, environment, apnsChannelId }: MarkedChannel): Change {
  const before = { key, environment, apns_channel_id: apnsChannelId };
  return { appId, action: 'channel.deleted', objectId: id, before };
}
