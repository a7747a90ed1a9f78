/**
 * Apple's push gateway: one request a device over long-lived HTTP/2 sessions, to the production or the
 * sandbox environment, signed with one provider token.
 */
import type { Clock } from '../../clock.ts';
import type { Observe } from '../../observe.ts';
import { verdictOf } from '../answer.ts';
import type { Gateway, PushMessage, Recipient, Verdict } from '../gateway.ts';
import { type Http2Pool, openHttp2Pool } from '../http2/pool.ts';
import type { UnrecordedOutcomes } from '../unrecorded-outcomes.ts';
import { apnsVerdict, EXPIRED_PROVIDER_TOKEN } from './apns-verdict.ts';
import { apnsId, compileApns } from './compile-apns.ts';
import { openProviderToken, type ApnsCredentials } from './provider-token.ts';

export interface ApnsOptions {
  bundleId: string;
  credentials: ApnsCredentials;
  /** Scheme, host and port of each environment. */
  productionUrl: string;
  sandboxUrl: string;
  /** PEM of a certificate authority to trust beside the system's. */
  ca: string | undefined;
  /** What it shares with the other gateways that broadcasts are sent through. */
  unrecorded?: UnrecordedOutcomes | undefined;
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

/** @throws {Error} a sentence, where the private key is not one (see `parseApnsKey`) */
export function openApns(options: ApnsOptions): Gateway {
  const { bundleId, credentials, ca, unrecorded, clock, observe } = options;
  const token = openProviderToken(credentials, clock);
  const production = openEnvironment(options.productionUrl);
  const sandbox = openEnvironment(options.sandboxUrl);

  function openEnvironment(url: string): { pool: Http2Pool; target: readonly string[] } {
    const { origin, host, protocol } = new URL(url);
    return {
      // A pool connects with its first request: the sandbox costs nothing until a development device is pushed to.
      pool: openHttp2Pool({ name: 'apns', origin, ca, unrecorded, observe, repeatsIfAmbiguous: 1 }),
      target: [':method', 'POST', ':scheme', protocol.slice(0, -1), ':authority', host],
    };
  }

  function compile(message: PushMessage, isWanted: () => boolean) {
    const { headers, body } = compileApns(message, bundleId);
    const senders = {
      production: openSender(production.pool, [...production.target, ...headers]),
      sandbox: openSender(sandbox.pool, [...sandbox.target, ...headers]),
    };

    function openSender(pool: Http2Pool, common: readonly string[]) {
      /** The same array for every push with one provider token. */
      let held: { bearer: string; headers: readonly string[] } = { bearer: '', headers: [] };

      /** @param isSecond the first was refused for its provider token */
      return function sendWith(bearer: string, push: Push, isSecond: boolean): Promise<Verdict> {
        if (held.bearer !== bearer) {
          held = { bearer, headers: [...common, 'authorization', `bearer ${bearer}`] };
        }
        const { path, ownHeaders } = push;
        return pool.request({ path, headers: held.headers, ownHeaders, body }, isWanted).then((answer) => {
          const verdict = verdictOf(answer, apnsVerdict, clock);
          const isExpired =
            verdict.kind === 'credentials_refused' && verdict.reason === EXPIRED_PROVIDER_TOKEN;
          if (isSecond || !isExpired || !token.replace(bearer)) return verdict;
          return sendWith(token.current(), push, true);
        });
      };
    }

    // No async functions on this way: at the rate of pushes every frame of one counts.
    return function send(recipient: Recipient): Promise<Verdict> {
      const { deviceId, pushToken, development } = recipient;
      if (!DEVICE_TOKEN.test(pushToken)) {
        return Promise.resolve({ kind: 'unregistered', reason: 'BadDeviceToken', deadSince: null });
      }
      const sendWith = development ? senders.sandbox : senders.production;
      const ownHeaders = ['apns-id', apnsId(message.notificationId, deviceId)];
      return sendWith(token.current(), { path: `/3/device/${pushToken}`, ownHeaders }, false);
    };
  }

  return {
    name: 'apns',
    compile,
    whenReady: () => production.pool.whenReady() ?? sandbox.pool.whenReady(),
    async whenSent() {
      await Promise.all([production.pool.whenSent(), sandbox.pool.whenSent()]);
    },
    async close() {
      await Promise.all([production.pool.close(), sandbox.pool.close()]);
    },
  };
}
