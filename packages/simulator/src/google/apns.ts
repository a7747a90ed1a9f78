/**
 * Validates the block `apns` of a message, which FCM passes on to Apple (`ApnsConfig` of the v1 reference): HTTP headers, a payload,
 * and Firebase's own options. The names and values of the headers are Apple's ("Sending notification requests to APNs").
 */
import { z } from 'zod';

const number = z.string().regex(/^\d{1,10}$/, 'must be digits');
const headers = z.strictObject({
  'apns-id': z.string().optional(),
  'apns-push-type': z.string().min(1).optional(),
  'apns-priority': z.enum(['1', '5', '10']).optional(),
  'apns-expiration': number.optional(),
  'apns-collapse-id': z
    .string()
    .refine((id) => Buffer.byteLength(id) <= 64, 'is over 64 bytes')
    .optional(),
  'apns-topic': z.string().optional(),
});
const options = z.strictObject({
  analytics_label: z.string().optional(),
  analyticsLabel: z.string().optional(),
  image: z.string().optional(),
});
const payload = z.looseObject({ _nid: z.string().optional(), aps: z.looseObject({}).optional() });

export const apnsConfig = z.strictObject({
  headers: headers.optional(),
  payload: payload.optional(),
  live_activity_token: z.string().optional(),
  liveActivityToken: z.string().optional(),
  fcm_options: options.optional(),
  fcmOptions: options.optional(),
});
type ApnsConfig = z.output<typeof apnsConfig>;

/** The size of the payload that Apple would get, which it limits to 4,096 bytes. Firebase's options are in it. */
export function apnsBytes({ payload: sent = {}, fcm_options, fcmOptions = fcm_options }: ApnsConfig): number {
  return Buffer.byteLength(
    JSON.stringify(fcmOptions === undefined ? sent : { ...sent, fcm_options: fcmOptions }),
  );
}

export function nidOf(config: ApnsConfig | undefined): string | undefined {
  const { _nid: nid } = config?.payload ?? {};
  return nid;
}
