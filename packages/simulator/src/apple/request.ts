/** Validates a request by a strict reading of Apple's documented rules. */
import { randomUUID } from 'node:crypto';
import type { AppleAuthority, AppleTeam } from './authority.ts';
import type { ApplePayload } from './payload.ts';
import { bundleIdOf, isPushType, judgePushType, payloadBytesMax } from './push-types.ts';
import type { AppleReason } from './reasons.ts';
import type { AppleEnvironment } from '../ledger.ts';
import type { Exchange } from '../listener.ts';

/** The topic and environment of a known push token. An unknown push token accepts any topic, in any environment. */
export interface AppleDevice {
  token: string;
  topic: string;
  environment: AppleEnvironment;
}

export interface AppleRequestContext {
  environment: AppleEnvironment;
  authority: AppleAuthority;
  connectionTeam: AppleTeam | undefined;
  devices: ReadonlyMap<string, AppleDevice>;
  judgePayload: (body: Buffer, bytes: number, bytesMax: number) => ApplePayload | AppleReason;
}

interface AcceptedPush {
  team: AppleTeam;
  token: string;
  topic: string;
  payload: ApplePayload;
}

const DEVICE_PATH = '/3/device/';
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** 32 bytes today; Apple may make them longer. */
const DEVICE_TOKEN = /^(?:[0-9a-f]{2}){32,100}$/i;
/** A well-formed push token that belongs to no device. */
const NO_DEVICE = /^0+$/;
const BUNDLE_ID = /^[A-Za-z0-9.-]+$/;
const COLLAPSE_ID_BYTES_MAX = 64;
/** Seconds since 1970 fit into 32 bits; milliseconds, a frequent mistake, do not. */
export const EXPIRATION_MAX = 2 ** 32 - 1;

/** The push token in a request's path, not validated; undefined for other paths. */
export function tokenOfPath(path: string): string | undefined {
  return path.startsWith(DEVICE_PATH) ? path.slice(DEVICE_PATH.length) : undefined;
}

/** The request's own `apns-id`, or a new one. */
export function apnsIdOf(exchange: Exchange): string {
  const own = header(exchange, 'apns-id');
  return own !== undefined && UUID.test(own) ? own : randomUUID();
}

export function judgeAppleRequest(
  exchange: Exchange,
  context: AppleRequestContext,
): AcceptedPush | AppleReason {
  const token = tokenOfPath(exchange.path);
  if (token === undefined) return 'BadPath';
  if (exchange.method !== 'POST') return 'MethodNotAllowed';
  if (hasDuplicateHeader(exchange)) return 'DuplicateHeaders';

  const authorization = header(exchange, 'authorization');
  const team = context.authority.authorize(authorization, context.connectionTeam, context.environment);
  if (typeof team === 'string') return team;

  const topic = header(exchange, 'apns-topic');
  if (topic === undefined || topic === '') return 'MissingTopic';
  const pushType = header(exchange, 'apns-push-type');
  if (pushType !== undefined && !isPushType(pushType)) return 'InvalidPushType';
  const fault =
    judgeTopic(topic, bundleIdOf(topic, pushType), team) ??
    judgeDevice(token, topic, context) ??
    judgeDeliveryHeaders(exchange);
  if (fault !== undefined) return fault;

  const payload = context.judgePayload(exchange.body, exchange.bodyBytes, payloadBytesMax(pushType));
  if (typeof payload === 'string') return payload;
  const mismatch = judgePushType(pushType, payload, header(exchange, 'apns-priority'));
  if (mismatch !== undefined) return mismatch;
  return { team, token, topic, payload };
}

/** @param bundleId undefined if the topic does not fit the push type */
function judgeTopic(topic: string, bundleId: string | undefined, team: AppleTeam): AppleReason | undefined {
  if (!BUNDLE_ID.test(topic)) return 'BadTopic';
  return bundleId !== undefined && team.topics.has(bundleId) ? undefined : 'TopicDisallowed';
}

function judgeDevice(token: string, topic: string, context: AppleRequestContext): AppleReason | undefined {
  if (token === '') return 'MissingDeviceToken';
  if (!DEVICE_TOKEN.test(token) || NO_DEVICE.test(token)) return 'BadDeviceToken';
  const device = context.devices.get(token);
  if (device === undefined) return undefined;
  if (device.environment !== context.environment) return 'BadDeviceToken';
  return device.topic === topic ? undefined : 'DeviceTokenNotForTopic';
}

function judgeDeliveryHeaders(exchange: Exchange): AppleReason | undefined {
  const priority = header(exchange, 'apns-priority');
  if (priority !== undefined && !['10', '5', '1'].includes(priority)) return 'BadPriority';
  const expiration = header(exchange, 'apns-expiration');
  if (expiration !== undefined && !(/^\d+$/.test(expiration) && Number(expiration) <= EXPIRATION_MAX)) {
    return 'BadExpirationDate';
  }
  const collapseId = header(exchange, 'apns-collapse-id');
  if (collapseId !== undefined && headerBytes(collapseId) > COLLAPSE_ID_BYTES_MAX) return 'BadCollapseId';
  const id = header(exchange, 'apns-id');
  return id === undefined || UUID.test(id) ? undefined : 'BadMessageId';
}

/** Repeated headers are joined. */
export function header(exchange: Exchange, name: string): string | undefined {
  const value = exchange.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Header values arrive with one character per byte. */
function headerBytes(value: string): number {
  return value.length;
}

/** `headers` has fewer names than `rawHeaders` if a header was repeated, because Node joins repeated headers. */
export function hasDuplicateHeader({ headers, rawHeaders }: Exchange): boolean {
  return Object.keys(headers).length < rawHeaders.length / 2;
}
