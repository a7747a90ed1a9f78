/**
 * Google's push gateway, FCM HTTP v1: one request a device over long-lived HTTP/2 sessions, with one OAuth
 * access token for all of them.
 */
import type { Clock } from '../../clock.ts';
import type { Observe } from '../../observe.ts';
import { verdictOf } from '../answer.ts';
import type { Gateway, Lane, PushMessage, Recipient, Verdict } from '../gateway.ts';
import { openHttp2Pool } from '../http2/pool.ts';
import { openAccessToken } from './access-token.ts';
import { compileFcm } from './compile-fcm.ts';
import { fcmVerdict } from './fcm-verdict.ts';
import type { FcmCredentials } from './service-account.ts';

export interface FcmOptions {
  credentials: FcmCredentials;
  /** Scheme, host and port of FCM, and of Google's OAuth. */
  fcmUrl: string;
  oauthUrl: string;
  /** PEM of a certificate authority to trust beside the system's. */
  ca: string | undefined;
  clock: Clock;
  observe: Observe;
}

export function openFcm(options: FcmOptions): Gateway {
  const { credentials, fcmUrl, oauthUrl, ca, clock, observe } = options;
  const { origin, host, protocol } = new URL(fcmUrl);
  const pool = openHttp2Pool({ name: 'fcm', origin, ca, observe, repeatsIfAmbiguous: 1 });
  const accessToken = openAccessToken({ credentials, oauthUrl, ca, clock });
  const path = `/v1/projects/${encodeURIComponent(credentials.project_id)}/messages:send`;
  const target = [':method', 'POST', ':scheme', protocol.slice(0, -1), ':authority', host];

  let held: { token: string; headers: readonly string[] } = { token: '', headers: [] };
  /** The same for every push with one access token. */
  function headersWith(token: string): readonly string[] {
    if (held.token !== token) {
      const headers = [...target, 'authorization', `Bearer ${token}`, 'content-type', 'application/json'];
      held = { token, headers };
    }
    return held.headers;
  }

  async function send(body: string, lane: Lane, isWanted: () => boolean): Promise<Verdict> {
    for (let mayRefresh = true; ; mayRefresh = false) {
      const given = accessToken.get();
      const grant = given instanceof Promise ? await given : given; // at the rate of pushes every turn counts
      if (grant.kind === 'refused') return { kind: 'credentials_refused', reason: grant.reason };
      if (grant.kind === 'unavailable') {
        return { kind: 'retry', reason: grant.reason, afterMs: null, scope: 'project' };
      }
      const headers = headersWith(grant.token);
      const answer = await pool.request({ path, headers, ownHeaders: [], body }, lane, isWanted);
      if (mayRefresh && answer.kind === 'answered' && answer.status === 401) {
        accessToken.discard(grant.token);
      } else {
        return verdictOf(answer, (said) => fcmVerdict(said.status, said.headers, said.body, clock()));
      }
    }
  }

  function compile(message: PushMessage, isWanted: () => boolean) {
    const { beforeToken, afterToken } = compileFcm(message);
    return ({ pushToken }: Recipient, lane: Lane): Promise<Verdict> =>
      send(beforeToken + JSON.stringify(pushToken) + afterToken, lane, isWanted);
  }

  return {
    name: 'fcm',
    compile,
    whenReady: () => pool.whenReady(),
    async close() {
      await pool.close();
      accessToken.close();
    },
  };
}
