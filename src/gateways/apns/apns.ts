/**
 * One environment of Apple's push gateway: one request per device over long-lived HTTP/2 sessions. Each request is
 * authorized by the provider token of the app's key.
 */
import { clockAheadMs } from '../clock-ahead.ts';
import type { Gateway, PushMessage, SendMessage, Verdict } from '../gateway.ts';
import type { Route } from '../../route.ts';
import { type GatewayOptions, openGatewayPool, targetOf } from '../open-pool.ts';
import { heldBack, verdictOf } from '../transport-verdict.ts';
import { apnsSandboxVerdict, apnsVerdict } from './apns-verdict.ts';
import { apnsBody, apnsId, compileApns } from './compile-apns.ts';
import { EXPIRED, type ProviderToken } from './provider-token.ts';

export interface ApnsOptions extends GatewayOptions {
  route: Exclude<Route, 'fcm'>;
  bundleId: string;
  /** The provider token of the app's key; both environments share it. */
  token: ProviderToken;
  /** Scheme, host and port of the environment. */
  url: string;
}

interface Push {
  path: string;
  body: Buffer;
  isFirst: boolean;
  ownHeaders: readonly string[];
  beforeReading: (() => Promise<void>) | undefined;
}

/** Device tokens are hexadecimal; anything else would break the request's path. */
const DEVICE_TOKEN = /^[0-9a-f]+$/i;

export function openApns(options: ApnsOptions): Gateway {
  const { route, bundleId, token, ca, proxy, reserved, clock, observe } = options;
  const { origin } = new URL(options.url);
  // The pool connects at its first request, so the sandbox costs nothing without development devices.
  const pool = openGatewayPool({ gateway: 'apns', origin, ca, proxy, reserved, observe });
  const judge = route === 'apns_sandbox' ? apnsSandboxVerdict : apnsVerdict;
  const target = targetOf(options.url);

  let held: { bearer: string; headers: readonly string[] } = { bearer: '', headers: [] };
  /** Returns the same array for all pushes with the same provider token, so that the client compresses it once. */
  function headersWith(bearer: string): readonly string[] {
    if (held.bearer !== bearer) {
      held = { bearer, headers: [...target, 'authorization', `bearer ${bearer}`] };
    }
    return held.headers;
  }

  function compile(message: PushMessage, isWanted: () => boolean): SendMessage {
    const { headers: ofMessage, body: sharedBody } = compileApns(message, bundleId);
    const { notificationId } = message;
    let hasSent = false;
    let shared: { base: readonly string[]; headers: readonly string[] } = { base: [], headers: [] };
    /** Returns the same array for all pushes of the message after the first. */
    function messageHeadersWith(bearer: string): readonly string[] {
      const base = headersWith(bearer);
      if (shared.base !== base) shared = { base, headers: [...base, ...ofMessage] };
      return shared.headers;
    }

    /** @param isSecond whether the first attempt was refused because of its provider token */
    function sendWith(bearer: string, push: Push, isSecond: boolean): Promise<Verdict> {
      const { path, isFirst, ownHeaders, body, beforeReading } = push;
      const headers = isFirst ? headersWith(bearer) : messageHeadersWith(bearer);
      const request = pool.request({ path, headers, ownHeaders, body }, isWanted);
      return heldBack(request, { beforeReading, acceptedMax: 200 }).then((answer) => {
        const verdict = verdictOf(answer, judge, clock);
        if (verdict.kind !== 'credentials_refused' && verdict.kind !== 'retry') return verdict;
        if (!isSecond && token.refused(bearer, verdict.reason)) return sendWith(token.current(), push, true);
        if (verdict.kind !== 'credentials_refused' || answer.kind !== 'answered') return verdict;
        const aheadMs = clockAheadMs(answer.headers['date'], clock());
        // If even a new token counts as expired, our clock is wrong, whatever the gateway's date says.
        return verdict.reason === EXPIRED || aheadMs !== null ? { ...verdict, clock: { aheadMs } } : verdict;
      });
    }

    // No async functions here: at the rate of pushes their cost is measurable.
    return function send({ deviceId, pushToken }, own, beforeReading): Promise<Verdict> {
      if (!DEVICE_TOKEN.test(pushToken)) {
        return Promise.resolve({ kind: 'unregistered', reason: 'BadDeviceToken', deadSince: null });
      }
      const id = apnsId(notificationId, deviceId);
      // Most messages have one push. If the client put their headers into its compression table, which is small, the
      // headers that all messages share would fall out of it.
      const isFirst = !hasSent;
      hasSent = true;
      const ownHeaders = isFirst ? [...ofMessage, 'apns-id', id] : ['apns-id', id];
      const body = own === undefined ? sharedBody : apnsBody(message, own);
      const path = `/3/device/${pushToken}`;
      return sendWith(token.current(), { path, isFirst, ownHeaders, body, beforeReading }, false);
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
