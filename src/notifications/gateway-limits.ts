/** Refuses at creation what a gateway or Android would refuse at delivery. */
import { ApiError, invalidRequest } from '../errors.ts';
import { apnsPayloadBytes } from '../gateways/apns/compile-apns.ts';
import { fcmDataBytes, systemPicture } from '../gateways/fcm/compile-fcm.ts';
import { PAYLOAD_BYTES_MAX, type PushMessage } from '../gateways/gateway.ts';

/**
 * The payload counts as compiled for each gateway, with the notification's own id.
 * @throws {ApiError} `payload_too_large`, naming each gateway that would refuse it and the sizes
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

/** @throws {ApiError} `invalid_request` where Android draws the push and could not load its `image` */
export function refuseUnloadableImage({ android, payload }: PushMessage): void {
  if (android === undefined || payload.image === undefined || systemPicture(payload) !== undefined) return;
  const path = 'notification.payload.image';
  throw invalidRequest([
    { path, message: 'must be an https address where android_presentation is "system"' },
  ]);
}
