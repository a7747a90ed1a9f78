/**
 * The interface of a push gateway: a message is compiled once and sent to each recipient, and each send returns a
 * verdict. A refusal by the gateway is a verdict, not an exception; only a bug of ours throws.
 */

import type { ActivityMessage } from './apns/live-activity.ts';
import type { NamedToken, PushType } from './apns/push-types.ts';
import type { Payload } from './payload.ts';
import type { PushTokenType, Route } from '../route.ts';

/** Keys of `aps` under Apple's names, which replace those of the payload. */
export interface ApsFields {
  sound?: string | { critical?: 1; name: string; volume?: number };
  'thread-id'?: string;
  'target-content-id'?: string;
  'filter-criteria'?: string;
}

/** The change that a push makes to the kept badge of its device. */
export type BadgeChange = { to: number } | { by: number };

export const BADGE_MAX = 2 ** 31 - 1;

/** @param kept the badge that is kept for the device; undefined or null: none */
export function changedBadge(change: BadgeChange, kept: number | null = 0): number {
  if ('to' in change) return change.to;
  return Math.min(Math.max((kept ?? 0) + change.by, 0), BADGE_MAX);
}

export interface ApnsFields {
  /** Undefined: it follows from the payload. */
  pushType?: PushType;
  /** Headers that replace the ones derived from the notification. */
  headers?: Readonly<Record<string, string>>;
  aps?: ApsFields;
  /**
   * Set if the push changes the badge. If its payload has a badge, that is the number for its device; otherwise it is the
   * number for a device without a kept badge.
   */
  badge?: BadgeChange;
  /** A push to Live Activities, whose alert is the payload. */
  activity?: ActivityMessage;
}

/** The fields of a notification that a gateway needs. */
export interface PushMessage {
  /** Sent as `_nid`, the same in every repeat, so that a tray shows a repeated push once. */
  notificationId: string;
  payload: Payload;
  priority: 'high' | 'normal';
  /** Seconds for which a gateway keeps trying to reach a device that is off; 0: it tries only once. */
  timeToLiveSeconds: number;
  /** Start of the time to live. */
  dueAt: Date;
  /** Sent as `_rcpt`: it decides which devices are asked for receipts. Undefined: none are asked. */
  receiptLimit?: number;
  /** The look of a push that Android draws; if undefined, the app draws the push from the data. */
  android?: AndroidLook;
  fcm?: AndroidFields;
  apns?: ApnsFields;
  /** The named tokens that it is sent to; undefined: the devices' tokens for alerts. */
  token?: NamedToken;
}

/**
 * The rest of the time to live, in seconds, rounded up: Google and the push services of browsers count it from the moment they accept
 * the push.
 */
export function secondsLeft(
  { dueAt, timeToLiveSeconds }: Pick<PushMessage, 'dueAt' | 'timeToLiveSeconds'>,
  nowMs: number,
): number {
  const leftMs = dueAt.getTime() + timeToLiveSeconds * 1_000 - nowMs;
  return Math.min(Math.max(Math.ceil(leftMs / 1_000), 0), timeToLiveSeconds);
}

/** Fields for Google alone, under the names of FCM HTTP v1. */
export interface AndroidFields {
  /** Fields of the notification that Android draws. */
  drawn: Readonly<Record<string, string | number>>;
  config: Readonly<Record<string, unknown>>;
}

/** Null: the app's manifest decides. */
interface AndroidLook {
  /** The name of a drawable of the app. */
  icon: string | null;
  /** `#rrggbb`. */
  color: string | null;
}

export interface Recipient {
  deviceId: string;
  pushToken: string;
  pushTokenType: PushTokenType;
  /** Of a subscription: `<p256dh>.<auth>`. */
  subscriptionKeys?: string | null;
}

/**
 * The result of one push. `reason` is the gateway's own word, or a code of ours (`reason.ts`); the optional `detail` is
 * a sentence that says more.
 * - `accepted`: the gateway took it; `uniqueId` is Apple's id of a push to a development device.
 * - `rejected`: refused for good.
 * - `unregistered`: the token is dead; `deadSince` is the gateway's own timestamp, if it sends one.
 * - `retry`: not delivered, but worth another try, after `afterMs` if the gateway asks for a wait; `scope` says whether
 *   only this device or the whole project must slow down; `unsent` is set if the push was never sent.
 * - `credentials_refused`: no push will pass with these credentials now; `clock` is set if the cause may be our clock
 *   and not the key: `aheadMs` is how far our clock is ahead (negative: behind), or null if that is unknown.
 * - `ambiguous`: written, but not fully answered; it may or may not have arrived.
 */
export type Verdict =
  | { kind: 'accepted'; uniqueId?: string }
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

/** Created once, because it is the verdict on nearly every push. */
export const ACCEPTED: Verdict = { kind: 'accepted' };

/**
 * @param own replaces the payload of the message
 * @param beforeReading awaited before a refusal by the gateway is read, which may happen twice for a push
 */
export type SendMessage = (
  recipient: Recipient,
  own?: Payload,
  beforeReading?: () => Promise<void>,
) => Promise<Verdict>;

export interface Gateway {
  readonly route: Route;
  /**
   * Compiles a message once; the returned function sends it to one recipient and never rejects. It accepts a payload
   * for this recipient alone, with the same keys as the message's payload and other texts.
   * @param isWanted called when a push is about to be sent; if it returns false, the verdict is `retry`, or `ambiguous`
   *   if a first attempt was written and not answered
   */
  compile(message: PushMessage, isWanted: () => boolean): SendMessage;
  /**
   * Resolves when the gateway can take more pushes; undefined if it can now. A caller with thousands of pushes should
   * call it every few pushes.
   */
  whenReady(): Promise<void> | undefined;
  /** Resolves when all pushes that are waiting now have been sent; their answers may be outstanding. */
  whenSent(): Promise<void>;
  /** Lets the requests in flight finish (for a limited time), then closes every session. */
  close(): Promise<void>;
}
