/**
 * Google's push gateway, FCM HTTP v1: one request per device over long-lived HTTP/2 sessions, with one OAuth access token
 * for all of them.
 */
import {
  type Gateway,
  type PushMessage,
  type Recipient,
  secondsLeft,
  type SendMessage,
  type Verdict,
} from '../gateway.ts';
import type { Payload } from '../payload.ts';
import { type GatewayOptions, openGatewayPool, targetOf } from '../open-pool.ts';
import type { OwnReason } from '../reason.ts';
import { heldBack, verdictOf } from '../transport-verdict.ts';
import { type AccessGrant, openAccessToken } from './access-token.ts';
import { compileFcm } from './compile-fcm.ts';
import { type BlockForIphones, compileForIphones } from './compile-for-iphones.ts';
import { fcmVerdict } from './fcm-verdict.ts';
import type { GoogleAddresses } from './google-agent.ts';
import { INSTALLATION_ID } from './installation-id.ts';
import type { FcmCredentials } from './service-account.ts';

export interface FcmOptions extends GoogleAddresses, GatewayOptions {
  credentials: FcmCredentials;
}

interface Push {
  body: string;
  isWanted: () => boolean;
  beforeReading: (() => Promise<void>) | undefined;
}

const NO_HEADERS: readonly string[] = [];
const TOO_LARGE: Verdict = { kind: 'rejected', reason: 'too_large' satisfies OwnReason };

export function openFcm(options: FcmOptions): Gateway {
  const { credentials, fcmUrl, oauthUrl, ca, proxy, reserved, clock, observe } = options;
  const { origin } = new URL(fcmUrl);
  const pool = openGatewayPool({ gateway: 'fcm', origin, ca, proxy, reserved, observe });
  const accessToken = openAccessToken({ credentials, fcmUrl, oauthUrl, ca, proxy, clock });
  const path = `/v1/projects/${encodeURIComponent(credentials.project_id)}/messages:send`;
  const target = targetOf(fcmUrl);

  let held: { token: string; headers: readonly string[] } = { token: '', headers: [] };
  /** Returns the same array for every push with the same access token. */
  function headersWith(token: string): readonly string[] {
    if (held.token !== token) {
      const headers = [...target, 'authorization', `Bearer ${token}`, 'content-type', 'application/json'];
      held = { token, headers };
    }
    return held.headers;
  }

  /** @param isSecond whether the first attempt was refused because of its access token */
  function send(push: Push, isSecond: boolean): Promise<Verdict> {
    const given = accessToken.get();
    // No async functions here: at the rate of pushes their cost is measurable.
    return given instanceof Promise
      ? given.then((grant) => sendWith(grant, push, isSecond))
      : sendWith(given, push, isSecond);
  }

  function sendWith(grant: AccessGrant, push: Push, isSecond: boolean): Promise<Verdict> {
    if (grant.kind !== 'granted') return Promise.resolve(verdictOnGrant(grant));
    const { body, isWanted, beforeReading } = push;
    const exchange = { path, headers: headersWith(grant.token), ownHeaders: NO_HEADERS, body };
    return heldBack(pool.request(exchange, isWanted), { beforeReading, acceptedMax: 200 }).then((answer) => {
      const verdict = verdictOf(answer, fcmVerdict, clock);
      if (isSecond || answer.kind !== 'answered' || answer.status !== 401) return verdict;
      // Apple has refused the key that Firebase holds, and not Google our token.
      if (verdict.kind !== 'credentials_refused') return verdict;
      accessToken.discard(grant.token);
      return send(push, true);
    });
  }

  function compile(message: PushMessage, isWanted: () => boolean): SendMessage {
    const { beforeToken, afterToken } = compileFcm(message);
    /** The end of the body, which is the same for all pushes in one second. */
    let end = { ttlSeconds: -1, text: '' };
    let blockForIphones: BlockForIphones | undefined;
    /** @returns undefined if it is too large */
    function bodyForIphone(pushToken: string, own?: Payload): string | undefined {
      const kind = INSTALLATION_ID.test(pushToken) ? 'fid' : 'token';
      const block = (blockForIphones ??= compileForIphones(message))(own);
      return block === undefined ? undefined : `${beforeToken[kind]}${JSON.stringify(pushToken)},${block}}}`;
    }
    function bodyFor({ pushToken, pushTokenType }: Recipient, own?: Payload): string | undefined {
      if (pushTokenType === 'fcm') return bodyForIphone(pushToken, own);
      const ttlSeconds = secondsLeft(message, clock().getTime());
      const beginning = beforeToken[pushTokenType === 'fid' ? 'fid' : 'token'] + JSON.stringify(pushToken);
      if (own !== undefined) return beginning + afterToken(ttlSeconds, own);
      if (end.ttlSeconds !== ttlSeconds) end = { ttlSeconds, text: afterToken(ttlSeconds) };
      return beginning + end.text;
    }
    return (recipient, own, beforeReading): Promise<Verdict> => {
      const body = bodyFor(recipient, own);
      return body === undefined ? Promise.resolve(TOO_LARGE) : send({ body, isWanted, beforeReading }, false);
    };
  }

  return {
    route: 'fcm',
    compile,
    whenReady: () => pool.whenReady(),
    whenSent: () => pool.whenSent(),
    async close() {
      await pool.close();
      accessToken.close();
    },
  };
}

function verdictOnGrant(grant: Exclude<AccessGrant, { kind: 'granted' }>): Verdict {
  const { reason: detail } = grant;
  if (grant.kind === 'unavailable') {
    const reason = 'access_token_unavailable' satisfies OwnReason;
    return { kind: 'retry', reason, detail, afterMs: grant.afterMs, scope: 'project', unsent: true };
  }
  const reason = 'access_token_refused' satisfies OwnReason;
  return { kind: 'credentials_refused', reason, detail, ...(grant.clock && { clock: grant.clock }) };
}
