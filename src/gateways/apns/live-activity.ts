/**
 * The `aps` dictionary of a push to a Live Activity. Source: Apple, "Starting and updating Live Activities with ActivityKit
 * push notifications".
 */
import type { Payload } from '../payload.ts';

/** `aps` as Apple names its keys, without the alert. */
export interface ActivityMessage {
  event: 'start' | 'update' | 'end';
  /** Unix seconds. iOS ignores content that is older than what it shows. */
  timestamp: number;
  'content-state'?: Readonly<Record<string, unknown>>;
  'attributes-type'?: string;
  attributes?: Readonly<Record<string, unknown>>;
  'input-push-token'?: 1;
  'input-push-channel'?: string;
  'stale-date'?: number;
  'dismissal-date'?: number;
  'relevance-score'?: number;
}

/** @param payload its texts and its sound are the alert */
export function activityAps(activity: ActivityMessage, payload: Payload): Record<string, unknown> {
  const { alert, title, sound } = payload;
  const shown = {
    ...textOf('title', title, payload.title_loc_key, payload.title_loc_args),
    ...textOf('body', alert, payload.loc_key, payload.loc_args),
    ...(sound !== undefined && { sound }),
  };
  return { ...activity, ...(Object.keys(shown).length > 0 && { alert: shown }) };
}

/** A text, or the key of one in the app's resources. Live Activities write such a key in a form of their own. */
function textOf(name: 'title' | 'body', text?: string, key?: string, args?: readonly string[]): object {
  if (key !== undefined)
    return { [name]: { 'loc-key': key, ...(args !== undefined && { 'loc-args': args }) } };
  return text === undefined ? {} : { [name]: text };
}
