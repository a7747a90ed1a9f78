/**
 * Apple's broadcast channels for one app in one environment: the management API, which has a host of its own, and
 * broadcasts, which go to the ordinary one. Sources: Apple, "Sending channel management requests to APNs" and "Sending
 * broadcast push notification requests to APNs".
 */
import { z } from 'zod';
import { type Answer, type Answered, type Http2Pool, openHttp2Pool } from '@carillon/http2-client';
import { describeWithoutTokens, type GatewayOptions, openGatewayPool, targetOf } from '../open-pool.ts';
import { tunnelFor } from '../../proxy/proxy-settings.ts';
import { statusReason } from '../reason.ts';
import { retryAfterMs } from '../retry-after.ts';
import { appleRefusalIn, isWorthAnotherTry, parsedBody, verdictOf } from '../transport-verdict.ts';
import type { Verdict } from '../gateway.ts';
import { apnsVerdict } from './apns-verdict.ts';
import type { ProviderToken } from './provider-token.ts';

export interface ApnsChannelsOptions extends Omit<GatewayOptions, 'reserved'> {
  bundleId: string;
  token: ProviderToken;
  /** Scheme, host and port of the ordinary gateway of the environment. */
  pushUrl: string;
  /** Scheme, host and port of the management API. */
  managementUrl: string;
}

/** What Apple keeps for devices that are offline: nothing, or the newest broadcast. */
export type ChannelStorage = 'none' | 'latest';

/**
 * - `refused`: Apple's answer is final; nothing was done.
 * - `credentials_refused`: Apple does not accept the key.
 * - `unavailable`: no answer, or one that asks to try again. `mayBeDone`: Apple may still have done it.
 */
export type ManagementFailure =
  | { kind: 'refused' | 'credentials_refused'; reason: string }
  | { kind: 'unavailable'; reason: string; afterMs: number | null; mayBeDone: boolean };

export type Managed<Result> = { kind: 'done'; result: Result } | ManagementFailure;

export interface Broadcast {
  channelId: string;
  /** `apns-request-id`, which Apple echoes. */
  requestId: string;
  /** Unix seconds; 0: Apple tries once. */
  expiration: number;
  priority: 10 | 5;
  body: string;
}

/** Every call ends within 15 seconds, or twice that if the provider token is renewed, and never rejects. */
export type ApnsChannels = ReturnType<typeof openApnsChannels>;

/** Apple's reason if the channel does not exist in this environment. */
const CHANNEL_NOT_REGISTERED = 'ChannelNotRegistered';
/** Apple's reason if the app has 10,000 channels in this environment. */
export const CANNOT_CREATE_CHANNEL = 'CannotCreateChannelConfig';

/** 10,000 channels are some 270 KB. */
const BODY_BYTES_MAX = 1_048_576;
/** A caller of the API waits for the answer, or newer broadcasts do. The caller decides whether to ask again. */
const TIMEOUTS = { waitTimeoutMs: 5_000, requestTimeoutMs: 10_000, repeatsIfAmbiguous: 0 } as const;
/** Form of a channel id, Base64 at Apple: it is sent in a header. */
const CHANNEL_ID = /^[\x21-\x7e]{1,255}$/;
const BAD_ANSWER = 'the answer could not be read';

const listBody = z.object({ channels: z.array(z.string().regex(CHANNEL_ID)) });
const configBody = z.object({ 'message-storage-policy': z.union([z.literal(0), z.literal(1)]) });

type Method = 'POST' | 'GET' | 'DELETE';
type Send = (ownHeaders: readonly string[], body: string) => Promise<Answer>;

export function isChannelId(text: string): boolean {
  return CHANNEL_ID.test(text);
}

export function openApnsChannels(options: ApnsChannelsOptions) {
  const { bundleId, token, ca, proxy, clock, observe } = options;
  const management = openManagementPool(options);
  const pushes = openGatewayPool({
    gateway: 'apns',
    origin: new URL(options.pushUrl).origin,
    ca,
    proxy,
    sessionsMax: 1,
    limits: TIMEOUTS,
    observe,
  });

  /** A sender of requests to one path, which tries another provider token once if Apple refuses the first. */
  function sender(pool: Http2Pool, url: string, method: Method, path: string): Send {
    const headers = targetOf(url, method);
    return async (ownHeaders, body) => {
      const sendWith = async (bearer: string): Promise<Answer> => {
        const all = [...ownHeaders, 'authorization', `bearer ${bearer}`];
        return pool.request({ path, headers, ownHeaders: all, body });
      };
      const bearer = token.current();
      const answer = await sendWith(bearer);
      const isRefused =
        answer.kind === 'answered' && token.refused(bearer, appleRefusalIn(answer.body).reason);
      return isRefused ? sendWith(token.current()) : answer;
    };
  }

  const manage = (method: Method, collection = 'channels'): Send =>
    sender(management, options.managementUrl, method, `/1/apps/${bundleId}/${collection}`);
  const [create, read, remove] = [manage('POST'), manage('GET'), manage('DELETE')];
  const list = manage('GET', 'all-channels');
  const broadcast = sender(pushes, options.pushUrl, 'POST', `/4/broadcasts/apps/${bundleId}`);

  function judge<Result>(
    answer: Answer,
    resultOf: (answered: Answered) => Result | undefined,
  ): Managed<Result> {
    if (answer.kind !== 'answered') {
      const reason = describeWithoutTokens(answer);
      return { kind: 'unavailable', reason, afterMs: null, mayBeDone: answer.kind === 'ambiguous' };
    }
    const { status } = answer;
    if (status >= 200 && status < 300) {
      const result = resultOf(answer);
      if (result !== undefined) return { kind: 'done', result };
      return { kind: 'unavailable', reason: BAD_ANSWER, afterMs: null, mayBeDone: true };
    }
    const { reason = statusReason(status) } = appleRefusalIn(answer.body);
    if (status === 429 || isWorthAnotherTry(status)) {
      const afterMs = retryAfterMs(answer.headers, clock());
      return { kind: 'unavailable', reason, afterMs, mayBeDone: status >= 500 };
    }
    return { kind: status === 403 ? 'credentials_refused' : 'refused', reason };
  }

  return {
    /** @returns Apple's id of the new channel */
    async create(storage: ChannelStorage, requestId: string): Promise<Managed<string>> {
      const config = { 'message-storage-policy': storage === 'none' ? 0 : 1, 'push-type': 'LiveActivity' };
      const headers = ['apns-request-id', requestId, 'content-type', 'application/json'];
      return judge(await create(headers, JSON.stringify(config)), ({ headers: replied }) => {
        const id = replied['apns-channel-id'];
        return id !== undefined && isChannelId(id) ? id : undefined;
      });
    },
    async read(channelId: string): Promise<Managed<ChannelStorage>> {
      return judge(await read(['apns-channel-id', channelId], ''), ({ body }) => {
        const config = parsedBody(configBody, body);
        return config && (config['message-storage-policy'] === 0 ? 'none' : 'latest');
      });
    },
    /** @returns the ids of all channels of the app */
    async list(): Promise<Managed<string[]>> {
      return judge(await list([], ''), ({ body }) => parsedBody(listBody, body)?.channels);
    },
    /** A channel that no longer exists counts as deleted. */
    async delete(channelId: string): Promise<Managed<null>> {
      const deleted = judge(await remove(['apns-channel-id', channelId], ''), () => null);
      const isGone = deleted.kind === 'refused' && deleted.reason === CHANNEL_NOT_REGISTERED;
      return isGone ? { kind: 'done', result: null } : deleted;
    },
    async broadcast({ channelId, requestId, expiration, priority, body }: Broadcast): Promise<Verdict> {
      const headers = [
        'apns-channel-id',
        channelId,
        'apns-request-id',
        requestId,
        'apns-push-type',
        'liveactivity',
        'apns-expiration',
        String(expiration),
        'apns-priority',
        String(priority),
      ];
      return verdictOf(await broadcast(headers, body), apnsVerdict, clock);
    },
    async close(): Promise<void> {
      await Promise.all([management.close(), pushes.close()]);
    },
  };
}

/** No request is repeated by the pool: a channel would be created twice. */
function openManagementPool({ managementUrl, ca, proxy, observe }: ApnsChannelsOptions): Http2Pool {
  const { origin } = new URL(managementUrl);
  const gateway = 'apns_channels';
  return openHttp2Pool({
    origin,
    ca,
    tunnel: tunnelFor(proxy, origin),
    bodyBytesMax: BODY_BYTES_MAX,
    sessionsMax: 1,
    ...TIMEOUTS,
    closeTimeoutMs: 1_000,
    onEvent: (event) => {
      if (event.kind === 'session_opened') observe({ kind: 'session_opened', gateway, origin });
      if (event.kind !== 'session_closed') return;
      const reason = describeWithoutTokens(event.failure);
      observe({ kind: 'session_closed', gateway, origin, reason, wasOpen: event.wasOpen });
    },
  });
}
