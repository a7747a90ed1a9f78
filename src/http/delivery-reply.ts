import { z } from 'zod';
import { outcomeKinds } from '../delivery/outcomes/packed.ts';
import type { DeviceDelivery } from '../delivery/outcomes/device-outcome.ts';
import { idText, timeText } from '../reply.ts';

/** What became of one device, as the API shows it. */
export const deliveryReply: z.ZodType<DeviceDelivery> = z.strictObject({
  notification_id: idText,
  device_id: idText,
  outcome: z.enum([...outcomeKinds, 'pending', 'not_targeted']),
  reason: z.string().nullable().describe('In the gateway’s own words, where it refused the push.'),
  at: timeText.nullable().describe('Null while there is no outcome.'),
});
