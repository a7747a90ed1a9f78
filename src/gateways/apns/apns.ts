/**
 * Apple's push gateway: one request a device over long-lived HTTP/2 sessions, to the production or the
 * sandbox environment, signed with one provider token.
 */
import type { Clock } from '../../clock.ts';
import type { Observe } from '../../observe.ts';
import { verdictOf } from '../answer.ts';
import type { Gateway, Lane, PushMessage, Recipient, Verdict } from '../gateway.ts';
import { type Http2Pool, openHttp2Pool } from '../http2/pool.ts';
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
  clock: Clock;
  observe: Observe;
}

/** Device tokens are hexadecimal; anything else would only break the request's path. */
const DEVICE_TOKEN = /^[0-9a-f]+$/i;

/** @throws {Error} a sentence, where the private key is not one (see `parseApnsKey`) */
export function openApns(options: ApnsOptions): Gateway {
  const { bundleId, credentials, ca, clock, observe } = options;
  const token = openProviderToken(credentials, clock);
  const production = openEnvironment(options.productionUrl);
  const sandbox = openEnvironment(options.sandboxUrl);

  function openEnvironment(url: string): { pool: Http2Pool; target: readonly string[] } {
    const { origin, host, protocol } = new URL(url);
    return {
      // A pool connects with its first request: the sandbox costs nothing until a development device is pushed to.
      pool: openHttp2Pool({ name: 'apns', origin, ca, observe, repeatsIfAmbiguous: 1 }),
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

      return async function sendWith(bearer: string, path: string, id: string, lane: Lane): Promise<Verdict> {
        if (held.bearer !== bearer) {
          held = { bearer, headers: [...common, 'authorization', `bearer ${bearer}`] };
        }
        const exchange = { path, headers: held.headers, ownHeaders: ['apns-id', id], body };
        const answer = await pool.request(exchange, lane, isWanted);
        return verdictOf(answer, (said) => apnsVerdict(said.status, said.headers, said.body, clock()));
      };
    }

    return async function send(recipient: Recipient, lane: Lane): Promise<Verdict> {
      const { deviceId, pushToken, development } = recipient;
      if (!DEVICE_TOKEN.test(pushToken)) {
        return { kind: 'unregistered', reason: 'BadDeviceToken', deadSince: null };
      }
      const sendWith = development ? senders.sandbox : senders.production;
      const path = `/3/device/${pushToken}`;
      const id = apnsId(message.notificationId, deviceId);

      const bearer = token.current();
      const verdict = await sendWith(bearer, path, id, lane);
      const isExpired = verdict.kind === 'credentials_refused' && verdict.reason === EXPIRED_PROVIDER_TOKEN;
      return isExpired && token.replace(bearer) ? sendWith(token.current(), path, id, lane) : verdict;
    };
  }

  return {
    name: 'apns',
    compile,
    whenReady: () => production.pool.whenReady() ?? sandbox.pool.whenReady(),
    async close() {
      await Promise.all([production.pool.close(), sandbox.pool.close()]);
    },
  };
}
