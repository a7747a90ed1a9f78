/** The picture of a push that Android draws by itself. */
import { invalidRequest } from '../errors.ts';
import { systemPicture } from '../gateways/fcm/compile-fcm.ts';
import type { PushMessage } from '../gateways/gateway.ts';

/** @throws {ApiError} `invalid_request` where Android is to show an `image` that it could not load */
export function refuseUnshowable({ android, payload }: PushMessage): void {
  if (android === undefined || payload.image === undefined || systemPicture(payload) !== undefined) return;
  const path = 'notification.payload.image';
  throw invalidRequest([
    { path, message: 'must be an https address where android_presentation is "system"' },
  ]);
}
