/** One push to one device, through all its attempts. */
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import type { Recipient } from '../../gateways/gateway.ts';
import { type Route, routeTo } from '../../route.ts';
import type { Choice } from '../../notifications/content/per-device.ts';

export interface Push {
  /** Null for a device without a push token. */
  readonly recipient: Recipient | null;
  readonly route: Route;
  /** Whether it goes to an iPhone through Firebase. */
  readonly isIphoneByFcm: boolean;
  /** The attributes that decide what the device gets. */
  readonly facts: readonly unknown[] | undefined;
  /** The variant of the device, or `HOLD_OUT`; undefined if the notification is no A/B test. */
  readonly group: string | undefined;
  /** The choice of content for this device, once it is made; undefined: the content that every device gets. */
  choice: Choice | undefined;
  /** The row of the device in `SliceOutcomes`. */
  readonly row: number;
  /** Attempts so far that the gateway did not accept. */
  tries: number;
  /** Whether its allowance has been taken from the gateway's pace. */
  isPaced: boolean;
  /** The push must not be sent before this moment (Unix ms). */
  dueMs: number;
}

export type SendablePush = Push & { readonly recipient: Recipient };

/**
 * @param row the row of the device in `SliceOutcomes`
 * @param group the variant of the device
 */
export function pushOf(device: MatchingDevice, row: number, group: string | undefined): Push {
  const { id: deviceId, push_token: pushToken, push_token_type: pushTokenType, facts } = device;
  const { subscription_keys: subscriptionKeys = null } = device;
  const recipient = pushToken === null ? null : { deviceId, pushToken, pushTokenType, subscriptionKeys };
  const route = routeTo(device);
  const isIphoneByFcm = pushTokenType === 'fcm';
  return {
    recipient,
    facts,
    group,
    choice: undefined,
    route,
    isIphoneByFcm,
    row,
    tries: 0,
    isPaced: false,
    dueMs: 0,
  };
}

export function isSendable(push: Push): push is SendablePush {
  return push.recipient !== null;
}

/** @returns a list of the first push on a route to a device with a push token; empty if there is none */
export function firstPush(pushes: readonly Push[], route: Route): Push[] {
  const first = pushes.find((push) => push.route === route && isSendable(push));
  return first === undefined ? [] : [first];
}
