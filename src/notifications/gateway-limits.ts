/** Refuses a notification at creation if a gateway or Android would refuse any of its payloads at delivery. */
import { ApiError, invalidRequest } from '../api/errors.ts';
import { apnsPayloadBytes } from '../gateways/apns/compile-apns.ts';
import { apnsBytesMax } from '../gateways/apns/push-types.ts';
import { fcmDataBytes } from '../gateways/fcm/compile-fcm.ts';
import type { PushMessage } from '../gateways/gateway.ts';
import { httpsAddress, PAYLOAD_BYTES_MAX } from '../gateways/payload.ts';
import { memberPath } from '../json/lossless.ts';
import { refuseUndrawn } from './android-options.ts';
import { ENCRYPTED_TEXTS_PATH, longestEncryptedText, withEncryptedText } from './content/encrypted-texts.ts';
import { onMissingOf } from './content/template/setting.ts';
import { isSameForAll, longestOf, versionsOf } from './content/payload-versions.ts';
import type { NotificationContent } from './message.ts';

const PAYLOAD_PATH = 'notification.payload';

/**
 * @param message with the default payload
 * @param body the JSON of a notification that contains the payload
 * @throws {ApiError} `invalid_request` for its `image` or its `android`, or `payload_too_large`
 */
export function refuseUndeliverable(message: PushMessage, content: NotificationContent, body: string): void {
  if (message.android === undefined && content.android !== undefined) refuseUndrawn(content.android);
  const isTemplate = onMissingOf(content.template) !== undefined;
  const measures = isTemplate || mayBeTooLarge(message, body);
  const encrypted = longestEncryptedText(content);
  const versions = isSameForAll(content)
    ? [{ payload: message.payload, path: PAYLOAD_PATH }]
    : versionsOf(content).map((version) => ({ payload: longestOf(version, content), path: version.path }));
  for (const { payload, path } of versions) {
    const ofVersion = { ...message, payload };
    refuseUnloadableImage(ofVersion, path);
    if (!measures) continue;
    refuseTooLarge(ofVersion, path, isTemplate);
    if (encrypted === undefined) continue;
    const withText = { ...message, payload: withEncryptedText(payload, encrypted.jwe) };
    refuseTooLarge(withText, memberPath(ENCRYPTED_TEXTS_PATH, encrypted.keyId), isTemplate);
  }
}

/**
 * The most bytes that the formats add to the JSON of a payload: the names of Apple's fields and the notification's id.
 * If Android draws the push, its texts are sent twice, so the size is always measured.
 */
const FORMAT_BYTES_MAX = 500;

/**
 * Whether the payload must be measured. Nearly every payload is so short that it fits in any case.
 * @param body JSON that contains the payload
 */
export function mayBeTooLarge({ android }: PushMessage, body: string): boolean {
  return android !== undefined || Buffer.byteLength(body) > PAYLOAD_BYTES_MAX - FORMAT_BYTES_MAX;
}

/**
 * Measures the payload as it is compiled for each gateway, including the notification's id.
 * @param path where the payload was submitted
 * @param isLongest whether it has the longest values that a template allows
 * @throws {ApiError} `payload_too_large`, with each gateway that would refuse it and the size
 */
export function refuseTooLarge(message: PushMessage, path = PAYLOAD_PATH, isLongest = false): void {
  const tooLarge = [
    { gateway: 'APNs', bytes: apnsPayloadBytes(message), most: apnsBytesMax(message.apns?.pushType) },
    // Only iOS devices have named tokens.
    ...(message.token === undefined
      ? [{ gateway: 'FCM', bytes: fcmDataBytes(message), most: PAYLOAD_BYTES_MAX }]
      : []),
  ].filter(({ bytes, most }) => bytes > most);
  const [first] = tooLarge;
  if (first === undefined) return;
  const sizes = tooLarge.map(({ gateway, bytes }) => `${bytes} bytes for ${gateway}`).join(' and ');
  const which = path === PAYLOAD_PATH ? 'The compiled payload' : `The payload compiled with ${path}`;
  const values = isLongest
    ? ' with the longest values; a truncate at the end of an output shortens them'
    : '';
  const sentence = `${which} has ${sizes}${values}; at most ${first.most} are allowed.`;
  throw new ApiError('payload_too_large', {
    message: sentence,
    details: tooLarge.map(({ gateway, bytes, most }) => ({
      path,
      message: `is ${bytes} bytes for ${gateway}, over the limit of ${most}`,
    })),
  });
}

/** @throws {ApiError} `invalid_request` if Android draws the push and could not load its `image` */
function refuseUnloadableImage({ android, payload }: PushMessage, path: string): void {
  if (android === undefined || payload.image === undefined || httpsAddress(payload.image) !== undefined)
    return;
  throw invalidRequest([
    { path: `${path}.image`, message: 'must be an https address if android_presentation is "system"' },
  ]);
}
