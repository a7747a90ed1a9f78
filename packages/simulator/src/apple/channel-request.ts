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

interface Refused {
  kind: 'refused';
  reason: AppleReason;
}

/** A request that was obeyed, and the answer to it. */
export type ManagementJudgement =
  { kind: 'obeyed'; team: AppleTeam; status: number; channelId?: string; body?: unknown } | Refused;

export type BroadcastJudgement =
  | { kind: 'accepted'; team: AppleTeam; channel: AppleChannel; payload: Readonly<Record<string, unknown>> }
  | Refused;

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

export function judgeManagement(exchange: Exchange, context: ChannelContext): ManagementJudgement {
  const [, bundleId, collection] = MANAGEMENT_PATH.exec(exchange.path) ?? [];
  if (bundleId === undefined) return refused('BadPath');
  const methods = collection === 'channels' ? ['POST', 'GET', 'DELETE'] : ['GET'];
  if (!methods.includes(exchange.method)) return refused('MethodNotAllowed');
  const authorized = authorize(exchange, bundleId, context);
  if ('kind' in authorized) return authorized;
  const { team } = authorized;
  const { channels, environment } = context;
  const owner = { bundleId, environment };

  if (collection === 'all-channels') {
    return {
      kind: 'obeyed',
      team,
      status: 200,
      body: { channels: channels.list(owner).map(({ id }) => id) },
    };
  }
  if (exchange.method === 'POST') {
    const config = channelConfig.safeParse(readJson(exchange.body.toString()));
    if (!config.success) return refused('BadRequest');
    const created = channels.create(owner, config.data['message-storage-policy']);
    if (created === undefined) return refused('CannotCreateChannelConfig');
    return { kind: 'obeyed', team, status: 201, channelId: created.id };
  }
  const found = findChannel(exchange, channels, owner);
  if ('kind' in found) return found;
  if (exchange.method === 'GET') {
    return { kind: 'obeyed', team, status: 200, body: configOf(found.storagePolicy) };
  }
  channels.delete(owner, found.id);
  return { kind: 'obeyed', team, status: 204 };
}

export function judgeBroadcast(exchange: Exchange, context: ChannelContext): BroadcastJudgement {
  const bundleId = BROADCAST_PATH.exec(exchange.path)?.[1];
  if (bundleId === undefined) return refused('BadPath');
  if (exchange.method !== 'POST') return refused('MethodNotAllowed');
  const authorized = authorize(exchange, bundleId, context);
  if ('kind' in authorized) return authorized;

  const pushType = header(exchange, 'apns-push-type');
  if (pushType === undefined) return refused('MissingPushType');
  if (pushType !== 'liveactivity') return refused('InvalidPushType');
  const found = findChannel(exchange, context.channels, { bundleId, environment: context.environment });
  if ('kind' in found) return found;
  const fault = judgeDelivery(exchange, found.storagePolicy);
  if (fault !== undefined) return refused(fault);

  if (exchange.bodyBytes === 0) return refused('PayloadEmpty');
  if (exchange.bodyBytes > PAYLOAD_BYTES_MAX) return refused('PayloadTooLarge');
  const payload = broadcastPayload.safeParse(readJson(exchange.body.toString()));
  if (!payload.success) return refused('PayloadEmpty');
  return { kind: 'accepted', team: authorized.team, channel: found, payload: payload.data };
}

function authorize(
  exchange: Exchange,
  bundleId: string,
  { authority, connectionTeam, environment, channels }: ChannelContext,
): { team: AppleTeam } | Refused {
  if (hasDuplicateHeader(exchange)) return refused('DuplicateHeaders');
  const authorized = authority.authorize(header(exchange, 'authorization'), connectionTeam, environment);
  if ('reason' in authorized) return refused(authorized.reason);
  if (!authorized.team.topics.has(bundleId)) return refused('TopicDisallowed');
  if (!channels.isEnabled(bundleId)) return refused('FeatureNotEnabled');
  const id = header(exchange, 'apns-request-id');
  return id === undefined || UUID.test(id) ? authorized : refused('BadMessageId');
}

function findChannel(
  exchange: Exchange,
  channels: ChannelBook,
  owner: Pick<AppleChannel, 'bundleId' | 'environment'>,
): AppleChannel | Refused {
  const id = channelIdOf(exchange);
  if (id === undefined) return refused('MissingChannelId');
  if (!CHANNEL_ID.test(id)) return refused('BadChannelId');
  return channels.read(owner, id) ?? refused('ChannelNotRegistered');
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

function refused(reason: AppleReason): Refused {
  return { kind: 'refused', reason };
}
