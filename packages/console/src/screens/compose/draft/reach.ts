/** How many devices a notification reaches, out of those that its recipients are. */
import type { DeviceCount } from '../../../replies.ts';
import type { JsonObject } from './members.ts';
import { sharesOf } from './variants.ts';

export interface Reach {
  /** The devices that it is sent to: with a hold-out an estimate, because the hash of the user decides. */
  devices: number;
  isEstimate: boolean;
  withoutToken: number;
  heldOut: number;
}

export function reachOf(
  notification: JsonObject,
  { device_count: all, reachable_count: reachable }: DeviceCount,
): Reach {
  const heldOut = Math.round(sharesOf(notification).holdOut * reachable);
  return { devices: reachable - heldOut, isEstimate: heldOut > 0, withoutToken: all - reachable, heldOut };
}

/** @returns the count and a tenth, because audiences grow until a notification is sent; at least one more */
export function proposedLimit(devices: number): number {
  return devices + Math.max(1, Math.ceil(devices / 10));
}
