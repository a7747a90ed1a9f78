/**
 * The push services of browsers: one encrypted request per browser, to whichever service its endpoint names. The same door leads
 * to UnifiedPush.
 */
import { type Gateway, type PushMessage, secondsLeft, type SendMessage, type Verdict } from '../gateway.ts';
import { clockAheadMs } from '../clock-ahead.ts';
import type { OwnReason } from '../reason.ts';
import { heldBack, verdictOf } from '../transport-verdict.ts';
import { isShownByBrowsers, webPushHeaders, webPushText } from './compile-web-push.ts';
import { type Encryption, TEXT_BYTES_MAX } from './encrypt.ts';
import { type Origin, type OriginOptions, openOrigins } from './origins.ts';
import { openVapid } from './vapid.ts';
import type { VapidCredentials } from './vapid-key.ts';
import { webPushVerdict } from './web-push-verdict.ts';

export interface WebPushOptions extends OriginOptions {
  credentials: VapidCredentials;
  /** Shared by all apps of a thread. */
  encryption: Encryption;
  /** The most requests to one origin without an answer. */
  pendingMax?: number;
}

/** With 20 s until a request counts as unanswered, a service that is silent costs so many. */
const PENDING_MAX = 2_000;
/** A caller waits so long at most for an origin that cannot take more: others can. */
const WAIT_MS = 50;

export function openWebPush(options: WebPushOptions): Gateway {
  const { credentials, encryption, clock, pendingMax = PENDING_MAX } = options;
  const origins = openOrigins(options);
  const vapid = openVapid(credentials, clock);
  /** The origin of the last push. */
  let last: Origin | undefined;

  function compile(message: PushMessage, isWanted: () => boolean): SendMessage {
    const { payload } = message;
    const ofMessage = webPushHeaders(message);
    const shared = Buffer.from(webPushText(message, credentials.url));
    const headersByOrigin = new Map<string, { authorization: string; headers: readonly string[] }>();

    /** The same array for all pushes of the message to an origin. */
    function headersFor({ name, target }: Origin): readonly string[] {
      const authorization = vapid.authorizationFor(name);
      const known = headersByOrigin.get(name);
      if (known?.authorization === authorization) return known.headers;
      const headers = [...target, 'authorization', authorization, ...ofMessage];
      headersByOrigin.set(name, { authorization, headers });
      return headers;
    }

    return ({ pushToken, subscriptionKeys }, own, beforeReading): Promise<Verdict> => {
      if (!isShownByBrowsers(own ?? payload)) return settled({ kind: 'rejected', reason: 'nothing_to_show' });
      const slash = pushToken.indexOf('/', 'https://'.length);
      const origin = slash === -1 ? undefined : origins.of(pushToken.slice(0, slash));
      if (origin === undefined) return settled({ kind: 'rejected', reason: 'host_not_allowed' });
      last = origin;
      if (origin.pending >= pendingMax) {
        return settled({
          kind: 'retry',
          reason: 'service_too_slow',
          afterMs: null,
          scope: 'device',
          unsent: true,
        });
      }
      const text =
        own === undefined ? shared : Buffer.from(webPushText({ ...message, payload: own }, credentials.url));
      if (text.length > TEXT_BYTES_MAX) return settled({ kind: 'rejected', reason: 'too_large' });
      const send = async (body: Buffer): Promise<Verdict> => {
        const ttl = secondsLeft(message, clock().getTime());
        // Microsoft takes a TTL of 0 only together with this.
        const ownHeaders = ttl === 0 ? ['ttl', '0', 'x-wns-cache-policy', 'no-cache'] : ['ttl', String(ttl)];
        const request = { path: pushToken.slice(slash), headers: headersFor(origin), ownHeaders, body };
        const answer = await heldBack(origin.request(request, isWanted), { beforeReading, acceptedMax: 299 });
        const verdict = verdictOf(answer, webPushVerdict, clock);
        if (verdict.kind !== 'credentials_refused' || answer.kind !== 'answered') return verdict;
        const aheadMs = clockAheadMs(answer.headers['date'], clock());
        return aheadMs === null ? verdict : { ...verdict, clock: { aheadMs } };
      };
      let body: Buffer | Promise<Buffer>;
      try {
        body = encryption.encrypt(subscriptionKeys ?? '', text);
      } catch {
        return badKeys();
      }
      return Buffer.isBuffer(body) ? send(body) : body.then(send, badKeys);
    };
  }

  return {
    route: 'web_push',
    compile,
    whenReady() {
      const ready = last?.whenReady();
      return ready === undefined ? undefined : Promise.race([ready, pause()]);
    },
    whenSent: async () => origins.whenSent(),
    close: async () => origins.close(),
  };
}

function settled(verdict: Verdict & { reason: OwnReason }): Promise<Verdict> {
  return Promise.resolve(verdict);
}

function badKeys(): Promise<Verdict> {
  return settled({ kind: 'unregistered', reason: 'bad_keys', deadSince: null });
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, WAIT_MS);
  });
}
