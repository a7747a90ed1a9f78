/**
 * What every push gateway is to the rest of the house: a message is compiled once, sent to each recipient,
 * and each send comes back as a verdict. A gateway's "no" is a value; only a broken promise of ours throws.
 */

export const gatewayNames = ['apns', 'fcm'] as const;
export type GatewayName = (typeof gatewayNames)[number];

/**
 * What a push goes through, and what is refused, paused and proven by itself: one of Apple's two environments, or
 * Google. Credentials may be good for one of Apple's alone.
 */
export const routes = ['apns_production', 'apns_sandbox', 'fcm'] as const;
export type Route = (typeof routes)[number];

export function gatewayOf(route: Route): GatewayName {
  return route === 'fcm' ? 'fcm' : 'apns';
}

/** The platform that a gateway serves. */
export function platformOf(gateway: GatewayName): 'iOS' | 'Android' {
  return gateway === 'apns' ? 'iOS' : 'Android';
}

/** The route to a device. Development builds of iOS are reached through Apple's sandbox; Google has no such thing. */
export function routeTo(device: { platform: 'iOS' | 'Android'; development: boolean }): Route {
  if (device.platform === 'Android') return 'fcm';
  return device.development ? 'apns_sandbox' : 'apns_production';
}

/** Anything JSON can hold. Numbers that a double cannot hold exactly arrive as raw JSON (see `json.ts`). */
export type Json = unknown;

export type InterruptionLevel = 'passive' | 'active' | 'time-sensitive' | 'critical';

/** A payload that has passed the rules of `notifications/payload`: flat keys, custom keys beside the known. */
export interface Payload {
  alert?: string;
  title?: string;
  subtitle?: string;
  badge?: number;
  sound?: string;
  collapse_key?: string;
  content_available?: boolean;
  mutable_content?: boolean;
  category?: string;
  interruption_level?: InterruptionLevel;
  relevance_score?: number;
  /** Only an https address means anything to us. */
  image?: Json;
  _channel_id?: string;
  [customKey: string]: Json;
}

/** One notification, as much of it as a gateway needs. */
export interface PushMessage {
  /** Travels as `_nid`; the same in every repeat, so that a tray shows a repeated push once. */
  notificationId: string;
  payload: Payload;
  priority: 'high' | 'normal';
  /** How long a gateway keeps trying to reach a device that is off, in seconds; 0 means once, now. */
  timeToLiveSeconds: number;
  /** The moment from which the time to live counts. */
  dueAt: Date;
  /** Android is to draw it by itself, and so; left out, the app does from the data. */
  android?: AndroidLook;
}

/** Null is what the app's manifest says. */
interface AndroidLook {
  /** The name of a drawable of the app. */
  icon: string | null;
  /** `#rrggbb`. */
  color: string | null;
}

/** `fid`: a Firebase installation id, which FCM takes in place of its registration tokens. */
export type PushTokenType = 'token' | 'fid';

export interface Recipient {
  deviceId: string;
  pushToken: string;
  pushTokenType: PushTokenType;
}

/**
 * The result of one push. `reason` is the gateway's own word, or a code of ours (`reason.ts`); `detail` is a sentence that
 * says more, where there is more to say.
 * - `accepted`: the gateway took it.
 * - `rejected`: refused for good.
 * - `unregistered`: the token is dead; `deadSince` is the gateway's own timestamp where it gives one.
 * - `retry`: not delivered, worth another try, not before `afterMs` where the gateway asks for that;
 *   `scope` says whether only this device or the whole project must slow down; `unsent` where it has not left at all.
 * - `credentials_refused`: no push will pass with these credentials now; `clock` where the cause may be our clock and
 *   not the key: `aheadMs` is how far it is ahead (negative: behind), or null where that is unknown.
 * - `ambiguous`: written, and not answered to the end; it may or may not have arrived.
 */
export type Verdict =
  | { kind: 'accepted' }
  | { kind: 'rejected'; reason: string }
  | { kind: 'unregistered'; reason: string; deadSince: Date | null }
  | {
      kind: 'retry';
      reason: string;
      detail?: string;
      afterMs: number | null;
      scope: 'device' | 'project';
      unsent?: true;
    }
  | { kind: 'credentials_refused'; reason: string; detail?: string; clock?: { aheadMs: number | null } }
  | { kind: 'ambiguous'; reason: string };

/** Made once: it is the verdict on nearly every push. */
export const ACCEPTED: Verdict = { kind: 'accepted' };

export interface Gateway {
  readonly route: Route;
  /**
   * Compiles a message once; the returned function sends it to one recipient and never rejects.
   * @param isWanted asked when a push is about to leave: where it says no, the push comes back as `retry`, or as
   *   `ambiguous` where a first try of it is in doubt
   */
  compile(message: PushMessage, isWanted: () => boolean): (recipient: Recipient) => Promise<Verdict>;
  /**
   * Resolves when the gateway can do with more pushes; undefined where it can at once. Whoever has thousands asks
   * before every few.
   */
  whenReady(): Promise<void> | undefined;
  /** Resolves when all pushes that wait in it now have left: their answers are all that is left to wait for. */
  whenSent(): Promise<void>;
  /** Lets the requests in flight finish (bounded), then closes every session. */
  close(): Promise<void>;
}

/** The most bytes a compiled payload may have: Apple's limit for the JSON, Google's for keys and values. */
export const PAYLOAD_BYTES_MAX = 4096;
