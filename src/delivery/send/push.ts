/** One push to one device, through all its attempts. */
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { type Recipient, type Route, routeTo } from '../../gateways/gateway.ts';

export interface Push {
  /** Null for a device without a push token. */
  readonly recipient: Recipient | null;
  readonly route: Route;
  /** The row of the device in `SliceOutcomes`. */
  readonly row: number;
  /** Attempts so far that the gateway did not accept. */
  tries: number;
  /** Its turn in the gateway's pace has been taken already. */
  isPaced: boolean;
  /** Not before this moment (Unix ms). */
  dueMs: number;
}

export type SendablePush = Push & { readonly recipient: Recipient };

/** @param row of the device in `SliceOutcomes` */
export function pushOf(device: MatchingDevice, row: number): Push {
  const { id: deviceId, push_token: pushToken, push_token_type: pushTokenType } = device;
  const recipient = pushToken === null ? null : { deviceId, pushToken, pushTokenType };
  return { recipient, route: routeTo(device), row, tries: 0, isPaced: false, dueMs: 0 };
}

export function isSendable(push: Push): push is SendablePush {
  return push.recipient !== null;
}

/** The first push of a route that has a push token; empty where there is none. */
export function firstPush(pushes: readonly Push[], route: Route): Push[] {
  const first = pushes.find((push) => push.route === route && isSendable(push));
  return first === undefined ? [] : [first];
}
