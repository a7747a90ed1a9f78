/**
 * One environment of Apple's push gateway: one request a device over long-lived HTTP/2 sessions, signed with the
 * provider token of its key.
 */
import type { Clock } from '../../clock.ts';
import type { Reserved } from '../../http2-client/pool-options.ts';
import type { Observe } from '../../observe.ts';
import { clockAheadMs } from '../clock-ahead.ts';
import type { Gateway, PushMessage, Recipient, Route, Verdict } from '../gateway.ts';
import { openGatewayPool } from '../open-pool.ts';
import { verdictOf } from '../transport-verdict.ts';
import { apnsVerdict, EXPIRED_PROVIDER_TOKEN } from './apns-verdict.ts';
import { apnsId, compileApns } from './compile-apns.ts';
import type { ProviderToken } from './provider-token.ts';

export interface ApnsOptions {
  route: Exclude<Route, 'fcm'>;
  bundleId: string;
  /** Of the app's key; what else is open with the same key has the same one. */
  token: ProviderToken;
  /** Scheme, host and port of the environment. */
  url: string;
  /** PEM of a certificate authority to trust beside the system's. */
  ca: string | undefined;
  /** What it shares with the other gateways that broadcasts are sent through. */
  reserved?: Reserved | undefined;
  clock: Clock;
  observe: Observe;
}

/** What is of one device alone. */
interface Push {
  path: string;
  ownHeaders: readonly string[];
}

/** Device tokens are hexadecimal; anything else would only break the request's path. */
const DEVICE_TOKEN = /^[0-9a-f]+$/i;

export function openApns(options: ApnsOptions): Gateway {
  const { route, bundleId, token, ca, reserved, clock, observe } = options;
  const { origin, host, protocol } = new URL(options.url);
  // It connects with its first request: the sandbox costs nothing until a development device is pushed to.
  const pool = openGatewayPool({ gateway: 'apns', origin, ca, reserved, observe });
  const target = [':method', 'POST', ':scheme', protocol.slice(0, -1), ':authority', host];

  function compile(message: PushMessage, isWanted: () => boolean) {
    const { headers, body } = compileApns(message, bundleId);
    const common = [...target, ...headers];
    /** The same array for every push with one provider token. */
    let held: { bearer: string; headers: readonly string[] } = { bearer: '', headers: [] };

    /** @param isSecond the first was refused for its provider token */
    function sendWith(bearer: string, push: Push, isSecond: boolean): Promise<Verdict> {
      if (held.bearer !== bearer) {
        held = { bearer, headers: [...common, 'authorization', `bearer ${bearer}`] };
      }
      const { path, ownHeaders } = push;
      return pool.request({ path, headers: held.headers, ownHeaders, body }, isWanted).then((answer) => {
        const verdict = verdictOf(answer, apnsVerdict, clock);
        const isExpired = verdict.kind === 'credentials_refused' && verdict.reason === EXPIRED_PROVIDER_TOKEN;
        if (isExpired && !isSecond && token.replace(bearer)) return sendWith(token.current(), push, true);
        if (verdict.kind !== 'credentials_refused' || answer.kind !== 'answered') return verdict;
        const aheadMs = clockAheadMs(answer.headers['date'], clock());
        // A new token that is too old already: it is the clock, whatever the gateway's own says.
        return isExpired || aheadMs !== null ? { ...verdict, clock: { aheadMs } } : verdict;
      });
    }

    // No async functions on this way: at the rate of pushes every frame of one counts.
    return function send({ deviceId, pushToken }: Recipient): Promise<Verdict> {
      if (!DEVICE_TOKEN.test(pushToken)) {
        return Promise.resolve({ kind: 'unregistered', reason: 'BadDeviceToken', deadSince: null });
      }
      const ownHeaders = ['apns-id', apnsId(message.notificationId, deviceId)];
      return sendWith(token.current(), { path: `/3/device/${pushToken}`, ownHeaders }, false);
    };
  }

  return {
    route,
    compile,
    whenReady: () => pool.whenReady(),
    whenSent: () => pool.whenSent(),
    close: () => pool.close(),
  };
}
