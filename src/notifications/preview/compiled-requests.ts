/** The requests that are made from a payload, their sizes, and what phones show of them. */
import { z } from 'zod';
import { apnsPayloadBytes, compileApns } from '../../gateways/apns/compile-apns.ts';
import { apnsBytesMax } from '../../gateways/apns/push-types.ts';
import { compileFcm, fcmDataBytes } from '../../gateways/fcm/compile-fcm.ts';
import { compileForIphones } from '../../gateways/fcm/compile-for-iphones.ts';
import {
  isShownByBrowsers,
  webPushHeaders,
  webPushText,
  webPushTextBytes,
} from '../../gateways/web-push/compile-web-push.ts';
import { TEXT_BYTES_MAX } from '../../gateways/web-push/encrypt.ts';
import { type PushMessage, secondsLeft } from '../../gateways/gateway.ts';
import { type Payload, PAYLOAD_BYTES_MAX } from '../../gateways/payload.ts';
import { androidTray, androidTrayOf, headersByName, iosTray, iosTrayOf } from './tray.ts';

const PUSH_TOKEN = '<push token>';

const bytesLeft = z.int().describe('Negative if the payload is too large.');
const bytes = z
  .int()
  .min(0)
  .describe('Measured as creation measures it: for a template, with the longest values.');
const requestText = z.string().describe('The exact JSON, as text, so that numbers keep every digit.');

const apnsPreview = z
  .strictObject({
    bytes,
    bytes_left: bytesLeft,
    headers: z
      .record(z.string(), z.string())
      .describe('The same for every device; `apns-id` and `authorization` are added for each.'),
    body: requestText,
    tray: iosTray,
  })
  .meta({ id: 'CompiledApns' });

const fcmPreview = z
  .strictObject({
    bytes,
    bytes_left: bytesLeft,
    body: requestText,
    body_fid: requestText.describe('The same for a device whose `push_token_type` is `fid`.'),
    body_ios: requestText
      .nullable()
      .describe(
        'The same for an iPhone that is reached through Firebase (`push_token_type` is `fcm`). Null: it is too large.',
      ),
    tray: androidTray,
  })
  .meta({ id: 'CompiledFcm' });

const webPushPreview = z
  .strictObject({
    bytes,
    bytes_left: bytesLeft.describe('Negative if browsers do not get it; other devices do.'),
    headers: z
      .record(z.string(), z.string())
      .describe('The same for every browser; `authorization` is added for each push service.'),
    body: requestText.describe('The JSON, before it is encrypted for each browser.'),
  })
  .meta({ id: 'CompiledWebPush' });

export const requestsPreview = z.strictObject({
  apns: apnsPreview,
  fcm: fcmPreview
    .nullable()
    .describe(
      'Null if it is sent to tokens that only iOS has: those of Live Activities and of some push types.',
    ),
  web_push: webPushPreview
    .nullable()
    .describe('Null as `fcm` is, and if it has no text: browsers must show every push.'),
});

/** @param longest the longest payload that a device may get; its size decides */
export function requestsOf(
  message: PushMessage,
  bundleId: string,
  longest: Payload,
): z.output<typeof requestsPreview> {
  const measured = { ...message, payload: longest };
  const apns = compileApns(message, bundleId);
  return {
    apns: {
      ...budget(apnsPayloadBytes(measured), apnsBytesMax(message.apns?.pushType)),
      headers: headersByName(apns),
      body: apns.body.toString(),
      tray: iosTrayOf(apns),
    },
    fcm: message.token === undefined ? fcmRequestOf(message, measured) : null,
    web_push:
      message.token === undefined && isShownByBrowsers(message.payload)
        ? webPushRequestOf(message, measured)
        : null,
  };
}

function fcmRequestOf(message: PushMessage, measured: PushMessage): z.output<typeof fcmPreview> {
  const fcm = compileFcm(message);
  const block = compileForIphones(message)();
  const afterToken = fcm.afterToken(secondsLeft(message, message.dueAt.getTime()));
  const body = (kind: 'token' | 'fid'): string =>
    `${fcm.beforeToken[kind]}${JSON.stringify(PUSH_TOKEN)}${afterToken}`;
  return {
    ...budget(fcmDataBytes(measured), PAYLOAD_BYTES_MAX),
    body: body('token'),
    body_fid: body('fid'),
    body_ios: block === undefined ? null : `${fcm.beforeToken.token}${JSON.stringify(PUSH_TOKEN)},${block}}}`,
    tray: androidTrayOf(body('token')),
  };
}

function webPushRequestOf(message: PushMessage, measured: PushMessage): z.output<typeof webPushPreview> {
  const ttl = String(secondsLeft(message, message.dueAt.getTime()));
  return {
    ...budget(webPushTextBytes(measured), TEXT_BYTES_MAX),
    headers: { ttl, ...headersByName({ headers: webPushHeaders(message) }) },
    body: webPushText(message, null),
  };
}

function budget(used: number, most: number): { bytes: number; bytes_left: number } {
  return { bytes: used, bytes_left: most - used };
}
