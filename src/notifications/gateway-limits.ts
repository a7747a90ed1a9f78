/** Refuses a notification at creation if a gateway or Android would refuse it at delivery. */
import { ApiError, invalidRequest } from '../errors.ts';
import { apnsPayloadBytes } from '../gateways/apns/compile-apns.ts';
import { fcmDataBytes, systemPicture } from '../gateways/fcm/compile-fcm.ts';
import { PAYLOAD_BYTES_MAX, type PushMessage } from '../gateways/gateway.ts';

/**
 * What the formats add at most to the JSON of a payload, in bytes: the names of Apple's fields and the notification's id. If
 * Android draws the push, its texts are sent twice, so the size is always measured.
 */
const FORMAT_BYTES_MAX = 500;

/**
 * Whether the payload must be measured: it is not so short that it fits in any case, as nearly every payload is.
 * @param body the JSON of a notification that contains the payload
 */
export function mayBeTooLarge({ android }: PushMessage, body: string): boolean {
  return android !== undefined || Buffer.byteLength(body) > PAYLOAD_BYTES_MAX - FORMAT_BYTES_MAX;
}

/**
 * Measures the payload as it is compiled for each gateway, including the notification's id.
 * @throws {ApiError} `payload_too_large`, with each gateway that would refuse it and the size
 */
export function refuseTooLarge(message: PushMessage): void {
  const tooLarge = [
    { gateway: 'APNs', bytes: apnsPayloadBytes(message) },
    { gateway: 'FCM', bytes: fcmDataBytes(message) },
  ].filter(({ bytes }) => bytes > PAYLOAD_BYTES_MAX);
  if (tooLarge.length === 0) return;
  const sizes = tooLarge.map(({ gateway, bytes }) => `${bytes} bytes for ${gateway}`).join(' and ');
  const sentence = `The compiled payload has ${sizes}; at most ${PAYLOAD_BYTES_MAX} are allowed.`;
  throw new ApiError('payload_too_large', {
    message: sentence,
    details: tooLarge.map(({ gateway, bytes }) => ({
      path: 'notification.payload',
      message: `is ${bytes} bytes for ${gateway}, over the limit of ${PAYLOAD_BYTES_MAX}`,
    })),
  });
}

/** @throws {ApiError} `invalid_request` if Android draws the push and could not load its `image` */
export function refuseUnloadableImage({ android, payload }: PushMessage): void {
  if (android === undefined || payload.image === undefined || systemPicture(payload) !== undefined) return;
  const path = 'notification.payload.image';
  throw invalidRequest([{ path, message: 'must be an https address if android_presentation is "system"' }]);
}
