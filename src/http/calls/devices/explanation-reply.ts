/** The reply that explains why a device did not get a notification. */
import { z } from 'zod';
import { causeReply } from '../../../results/explain/cause.ts';
import type { ExplainedDelivery } from '../../../results/explain/explain.ts';
import { explainedVariant } from '../../../results/explain/explain-variant.ts';
import type { DeliveryKey } from '../../../results/history/device-outcome-store.ts';
import { outcomeKinds } from '../../../delivery/outcomes/packed.ts';
import { apnsUniqueId } from '../../../results/history/unique-id.ts';
import { idText } from '../../../api/reply.ts';
import { explanationJson, explanationReply } from '../audiences/reply.ts';

export const deliveryExplanationReply = z
  .strictObject({
    notification_id: idText,
    device_id: idText,
    outcome: z
      .enum(outcomeKinds)
      .nullable()
      .describe('The stored outcome of the device; null if there is none.'),
    apns_unique_id: apnsUniqueId,
    variant: explainedVariant
      .nullable()
      .describe(
        'The variant of the device; null if the notification is no A/B test, or nothing is known about the device.',
      ),
    causes: z
      .array(causeReply)
      .min(1)
      .describe(
        'The first one is the answer; the others add to it, in the order in which a notification ' +
          'meets them. After `accepted`, they are possible causes, because gateways do not report ' +
          'whether a phone shows a push.',
      ),
    audience: explanationReply
      .nullable()
      .describe(
        'Whether the filters of the notification select the device as it is now; null if the app does not have the device.',
      ),
  })
  .meta({ id: 'DeliveryExplanation' });

export function deliveryExplanationJson(
  { notificationId, deviceId }: DeliveryKey,
  { outcome, uniqueId, variant, causes, filters }: ExplainedDelivery,
): z.output<typeof deliveryExplanationReply> {
  return {
    notification_id: notificationId,
    device_id: deviceId,
    outcome: outcome ?? null,
    apns_unique_id: uniqueId,
    variant: variant ?? null,
    causes,
    audience: filters === undefined ? null : explanationJson(filters),
  };
}
