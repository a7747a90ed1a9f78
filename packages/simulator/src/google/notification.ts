/** Validates notifications that Android displays without the app: `AndroidNotification` of FCM HTTP v1. */
import { z } from 'zod';

const text = z.string();
const texts = z.array(text);
const flag = z.boolean();
const duration = text.regex(/^\d+(\.\d{1,9})?s$/, "Illegal duration format; duration must end with 's'");

const fields = {
  title: text,
  body: text,
  icon: text,
  color: text.regex(/^#[0-9a-fA-F]{6}$/, 'Color must be in the form #RRGGBB'),
  sound: text,
  tag: text,
  click_action: text,
  body_loc_key: text,
  body_loc_args: texts,
  title_loc_key: text,
  title_loc_args: texts,
  channel_id: text,
  ticker: text,
  sticky: flag,
  event_time: z.iso.datetime(),
  local_only: flag,
  notification_priority: z.enum([
    'PRIORITY_UNSPECIFIED',
    'PRIORITY_MIN',
    'PRIORITY_LOW',
    'PRIORITY_DEFAULT',
    'PRIORITY_HIGH',
    'PRIORITY_MAX',
  ]),
  default_sound: flag,
  default_vibrate_timings: flag,
  default_light_settings: flag,
  vibrate_timings: z.array(duration),
  visibility: z.enum(['VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET']),
  notification_count: z.int32().min(0),
  light_settings: z.looseObject({}),
  image: z.url({ protocol: /^https?$/, error: 'Image must be a URL' }),
  proxy: z.enum(['PROXY_UNSPECIFIED', 'ALLOW', 'DENY', 'IF_PRIORITY_LOWERED']),
};

/** Protocol buffers as JSON: a name may be in snake_case or camelCase, and unknown names are refused. */
export const androidNotification = z.strictObject(
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, schema]) =>
      [name, camelCaseOf(name)].map((spelling) => [spelling, schema.optional()]),
    ),
  ),
);

/**
 * The bytes of the fields that Google sends to the device and counts against the limit, as far as this is documented.
 */
export function notificationBytes(notification: Readonly<Record<string, unknown>>): number {
  return Object.entries(notification).reduce((bytes, [name, value]) => {
    const written = typeof value === 'string' ? value : JSON.stringify(value);
    return bytes + Buffer.byteLength(`gcm.notification.${name}${written}`);
  }, 0);
}

function camelCaseOf(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
