/**
 * The short forms of a target: one device, or the devices of one user. They mean the filters `device_id` and `user_id`, but
 * no audience is stored: the notification's own row has the filter.
 */
import { isJsonObject } from '../parse.ts';

interface ShortTarget {
  kind: 'device_id' | 'user_id';
  id: string;
}

/** @returns the short target in a checked `to`; undefined if `to` has another form */
export function shortTargetOf(to: unknown): ShortTarget | undefined {
  if (!isJsonObject(to)) return undefined;
  const { device_id: deviceId, user_id: userId } = to;
  if (typeof deviceId === 'string') return { kind: 'device_id', id: deviceId };
  if (typeof userId === 'string') return { kind: 'user_id', id: userId };
  return undefined;
}
