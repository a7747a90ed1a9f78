/** The optional key `android` of a notification: fields for Google alone. Source: `AndroidConfig` of FCM HTTP v1. */
import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import type { AndroidFields } from '../gateways/gateway.ts';

const textRule = 'must be a text that is not empty';
const flagRule = 'must be true or false';
const countRule = 'must be a whole number from 0 to 2147483647';
const labelRule = 'must be 1 to 50 letters, digits or any of - _ . ~ %';
const LABEL = /^[a-zA-Z0-9\-_.~%]{1,50}$/;

const flag = z.boolean(flagRule);

/** The values are accepted in lower case, as elsewhere here, or as Google writes them. */
function choice<const Value extends string>(values: readonly [Value, ...Value[]]) {
  const rule = `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  return z.enum([...values, ...values.map((value) => value.toUpperCase())], rule);
}

/** Fields of the notification that Android draws. */
const drawnFields = {
  click_action: z
    .string(textRule)
    .min(1, textRule)
    .describe('The action of the intent that a tap starts, in place of opening the app.'),
  visibility: choice(['private', 'public', 'secret']).describe(
    'On a locked phone, `public` shows all of it, `private` hides its text, and `secret` shows nothing.',
  ),
  notification_count: z
    .int32(countRule)
    .min(0, countRule)
    .describe('How many items it stands for: some launchers add this to the number on the app’s icon.'),
  proxy: choice(['allow', 'deny', 'if_priority_lowered']).describe(
    'Whether Google Play services may show it without starting the app. `if_priority_lowered`: only if the phone has lowered its priority.',
  ),
};

export const androidField = z
  .strictObject({
    ...drawnFields,
    analytics_label: z
      .string(labelRule)
      .regex(LABEL, labelRule)
      .describe('The label under which Firebase’s reports count it.'),
    direct_boot_ok: flag.describe(
      'Whether the app gets it before the phone is unlocked for the first time after a start.',
    ),
    bandwidth_constrained_ok: flag.describe('Whether the app gets it over a network with little bandwidth.'),
    restricted_satellite_ok: flag.describe('Whether the app gets it over a restricted satellite network.'),
  })
  .exactPartial()
  .meta({ id: 'AndroidOptions' })
  .describe(
    'Fields for Google alone. `click_action`, `visibility`, `notification_count` and `proxy` ' +
      'need `android_presentation` `system`: without it, the app draws the push.',
  );

export type AndroidOptions = z.output<typeof androidField>;

export function androidFieldsOf(options: AndroidOptions): AndroidFields {
  const { click_action, visibility, notification_count, proxy, analytics_label: label, ...config } = options;
  return {
    drawn: {
      ...(click_action !== undefined && { click_action }),
      ...(visibility !== undefined && { visibility: visibility.toUpperCase() }),
      ...(notification_count !== undefined && { notification_count }),
      ...(proxy !== undefined && { proxy: proxy.toUpperCase() }),
    },
    config: { ...config, ...(label !== undefined && { fcm_options: { analytics_label: label } }) },
  };
}

/** @throws {ApiError} `invalid_request` if the app draws the push itself, so that some options would have no effect */
export function refuseUndrawn(options: AndroidOptions): void {
  const faults = drawnKeysOf(options).map((key) => ({
    path: `notification.android.${key}`,
    message: 'needs android_presentation "system": here the app draws the push itself',
  }));
  if (faults.length > 0) throw invalidRequest(faults);
}

/** @returns the options that have an effect only if Android draws the push */
export function drawnKeysOf(options: AndroidOptions): string[] {
  return Object.keys(drawnFields).filter((key) => Object.hasOwn(options, key));
}
