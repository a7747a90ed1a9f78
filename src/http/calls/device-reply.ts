/**
 * A device as the reply to its registration or update shows it. A key without `read`, such as one that an app
 * embeds and a stranger may have dug out, learns by it no more of a person than it said itself.
 */
import { z } from 'zod';
import type { AuthenticatedKey } from '../../apps/api-keys.ts';
import { type Device, deviceReply } from '../../devices/device.ts';

/** What leads to a person: who it is, where, and the token that moves a device's pushes elsewhere. */
const withheld = {
  push_token: true,
  user_id: true,
  user_email: true,
  location: true,
  sdk_location: true,
} as const;

/** Left out and not null: a reply that is sent back must clear nothing. */
export const redactedDeviceReply = z.strictObject({
  device: deviceReply
    .partial(withheld)
    .describe(
      `For a key without \`read\`, without those of ${Object.keys(withheld).join(', ')} that the call has not told.`,
    ),
});

/** @param told what the call has said of the device */
export function redactDevice(
  caller: AuthenticatedKey,
  device: Device,
  told: object,
): z.output<typeof redactedDeviceReply> {
  if (caller.scopes.includes('read')) return { device };
  const { push_token, user_id, user_email, location, sdk_location, ...rest } = device;
  const personal = Object.entries({ push_token, user_id, user_email, location, sdk_location });
  return {
    device: { ...rest, ...Object.fromEntries(personal.filter(([name]) => Object.hasOwn(told, name))) },
  };
}
