/**
 * Validates requests about channels by Apple's documented rules: those of the management API, and broadcasts. Sources:
 * Apple, "Sending channel management requests to APNs" and "Sending broadcast push notification requests to APNs".
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readJson } from '../read-json.ts';
import type { AppleAuthority, AppleTeam } from './authority.ts';
import type { AppleChannel, ChannelBook, StoragePolicy } from './channel-book.ts';
import type { AppleReason } from './reasons.ts';
import type { AppleEnvironment } from '../ledger.ts';
import type { Exchange } from '../listener.ts';
import { EXPIRATION_MAX, hasDuplicateHeader, header, UUID } from './request.ts';

export interface ChannelContext {
  environment: AppleEnvironment;
  authority: AppleAuthority;
  connectionTeam: AppleTeam | undefined;
  channels: ChannelBook;
}

/** A request that was obeyed, and the answer to it. */
interface Obeyed {
  team: AppleTeam;
  status: number;
  channelId?: string;
  body?: unknown;
}

interface AcceptedBroadcast {
  team: AppleTeam;
  channel: AppleChannel;
  payload: Readonly<Record<string, unknown>>;
}

const MANAGEMENT_PATH = /^\/1\/apps\/([^/]+)\/(channels|all-channels)$/;
const BROADCAST_PATH = /^\/4\/broadcasts\/apps\/([^/]+)$/;
const CHANNEL_ID = /^[A-Za-z0-9+/]{4,128}={0,2}$/;
/** A broadcast may be larger than a push. */
const PAYLOAD_BYTES_MAX = 5_120;

const channelConfig = z.strictObject({
  'message-storage-policy': z.union([z.literal(0), z.literal(1)]),
  'push-type': z.literal('LiveActivity'),
});

const broadcastPayload = z.looseObject({
  aps: z.looseObject({
    event: z.enum(['update', 'end']),
    timestamp: z.int().positive(),
    'content-state': z.record(z.string(), z.unknown()).optional(),
  }),
});

export function isBroadcast(path: string): boolean {
  return path.startsWith('/4/broadcasts/');
}

/** The request's own `apns-request-id`, or a new one. */
export function requestIdOf(exchange: Exchange): string {
  const own = header(exchange, 'apns-request-id');
  return own !== undefined && UUID.test(own) ? own : randomUUID();
}

export function channelIdOf(exchange: Exchange): string | undefined {
  return header(exchange, 'apns-channel-id');
}

export function judgeManagement(exchange: Exchange, context: ChannelContext): Obeyed | AppleReason {
  const [, bundleId, collection] = MANAGEMENT_PATH.exec(exchange.path) ?? [];
  if (bundleId === undefined) return 'BadPath';
  const methods = collection === 'channels' ? ['POST', 'GET', 'DELETE'] : ['GET'];
  if (!methods.includes(exchange.method)) return 'MethodNotAllowed';
  const team = authorize(exchange, bundleId, context);
  if (typeof team === 'string') return team;
  const { channels, environment } = context;
  const owner = { bundleId, environment };

  if (collection === 'all-channels') {
    return { team, status: 200, body: { channels: channels.list(owner).map(({ id }) => id) } };
  }
  if (exchange.method === 'POST') {
    const config = channelConfig.safeParse(readJson(exchange.body.toString()));
    if (!config.success) return 'BadRequest';
    const created = channels.create(owner, config.data['message-storage-policy']);
    if (created === undefined) return 'CannotCreateChannelConfig';
    return { team, status: 201, channelId: created.id };
  }
  const found = findChannel(exchange, channels, owner);
  if (typeof found === 'string') return found;
  if (exchange.method === 'GET') return { team, status: 200, body: configOf(found.storagePolicy) };
  channels.delete(owner, found.id);
  return { team, status: 204 };
}

export function judgeBroadcast(exchange: Exchange, context: ChannelContext): AcceptedBroadcast | AppleReason {
  const bundleId = BROADCAST_PATH.exec(exchange.path)?.[1];
  if (bundleId === undefined) return 'BadPath';
  if (exchange.method !== 'POST') return 'MethodNotAllowed';
  const team = authorize(exchange, bundleId, context);
  if (typeof team === 'string') return team;

  const pushType = header(exchange, 'apns-push-type');
  if (pushType === undefined) return 'MissingPushType';
  if (pushType !== 'liveactivity') return 'InvalidPushType';
  const found = findChannel(exchange, context.channels, { bundleId, environment: context.environment });
  if (typeof found === 'string') return found;
  const fault = judgeDelivery(exchange, found.storagePolicy);
  if (fault !== undefined) return fault;

  if (exchange.bodyBytes === 0) return 'PayloadEmpty';
  if (exchange.bodyBytes > PAYLOAD_BYTES_MAX) return 'PayloadTooLarge';
  const payload = broadcastPayload.safeParse(readJson(exchange.body.toString()));
  if (!payload.success) return 'PayloadEmpty';
  return { team, channel: found, payload: payload.data };
}

function authorize(
  exchange: Exchange,
  bundleId: string,
  { authority, connectionTeam, environment, channels }: ChannelContext,
): AppleTeam | AppleReason {
  if (hasDuplicateHeader(exchange)) return 'DuplicateHeaders';
  const team = authority.authorize(header(exchange, 'authorization'), connectionTeam, environment);
  if (typeof team === 'string') return team;
  if (!team.topics.has(bundleId)) return 'TopicDisallowed';
  if (!channels.isEnabled(bundleId)) return 'FeatureNotEnabled';
  const id = header(exchange, 'apns-request-id');
  return id === undefined || UUID.test(id) ? team : 'BadMessageId';
}

function findChannel(
  exchange: Exchange,
  channels: ChannelBook,
  owner: Pick<AppleChannel, 'bundleId' | 'environment'>,
): AppleChannel | AppleReason {
  const id = channelIdOf(exchange);
  if (id === undefined) return 'MissingChannelId';
  if (!CHANNEL_ID.test(id)) return 'BadChannelId';
  return channels.read(owner, id) ?? 'ChannelNotRegistered';
}

/** Both headers are required. A channel that keeps nothing takes only broadcasts that expire at once. */
function judgeDelivery(exchange: Exchange, storagePolicy: StoragePolicy): AppleReason | undefined {
  const expiration = header(exchange, 'apns-expiration') ?? '';
  if (!/^\d+$/.test(expiration) || Number(expiration) > EXPIRATION_MAX) return 'BadExpirationDate';
  if (storagePolicy === 0 && expiration !== '0') return 'BadExpirationDate';
  return ['10', '5', '1'].includes(header(exchange, 'apns-priority') ?? '') ? undefined : 'BadPriority';
}

function configOf(storagePolicy: StoragePolicy): z.input<typeof channelConfig> {
  return { 'message-storage-policy': storagePolicy, 'push-type': 'LiveActivity' };
}
