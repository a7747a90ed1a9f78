/**
 * Redacts a device in the reply to its registration or update. A key without `read` can be extracted from an app, so it
 * gets no personal data except what the call itself sent.
 */
import { z } from 'zod';
import type { Caller } from '../../../apps/caller.ts';
import { type Device, deviceReply } from '../../../devices/device.ts';
import type { FaultDetail } from '../../../api/errors.ts';

/** Personal data, and the push token, with which someone could divert pushes to another device. */
const withheld = {
  push_token: true,
  user_id: true,
  user_email: true,
  location: true,
  sdk_location: true,
} as const;

/** Withheld keys are omitted instead of null, so that a client that sends a reply back clears nothing. */
export const redactedDeviceReply = z
  .strictObject({
    device: deviceReply
      .partial(withheld)
      .meta({ id: 'RedactedDevice' })
      .describe(
        `A key without \`read\` gets ${Object.keys(withheld).join(', ')} only if the call itself sent them.`,
      ),
    ignored: z
      .array(
        z
          .strictObject({
            path: z.string().describe('The path of the value in the body, such as `device.locale`.'),
            message: z.string().describe('Why the value was left out; path and message form a sentence.'),
          })
          .meta({ id: 'IgnoredValue' }),
      )
      .min(1)
      .describe(
        'Values that were left out of a registration because they break a rule, 100 at most. Absent ' +
          'if there are none; an update is refused instead.',
      )
      .optional(),
  })
  .meta({ id: 'RegisteredDevice' });

/** Adds the values that were left out, if there are any. */
export function withIgnored(
  reply: z.output<typeof redactedDeviceReply>,
  ignored: readonly FaultDetail[],
): z.output<typeof redactedDeviceReply> {
  return ignored.length === 0 ? reply : { ...reply, ignored: [...ignored] };
}

/** @param sent the attributes in the body of the call */
export function redactDevice(
  caller: Caller,
  device: Device,
  sent: object,
): z.output<typeof redactedDeviceReply> {
  if (caller.scopes.includes('read')) return { device };
  const { push_token, user_id, user_email, location, sdk_location, ...rest } = device;
  const personal = Object.entries({ push_token, user_id, user_email, location, sdk_location });
  return {
    device: { ...rest, ...Object.fromEntries(personal.filter(([name]) => Object.hasOwn(sent, name))) },
  };
}
