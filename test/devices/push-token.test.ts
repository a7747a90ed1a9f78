/** A text that is no push token of its platform is refused with a sentence that says what it is, and what to send. */
import { expect, test } from 'vitest';
import { parseRegistration } from '../../src/devices/device-schema.ts';
import { isRegistrationAsStored } from '../../src/devices/fast-validate.ts';
import { ApiError } from '../../src/api/errors.ts';

const APPLE = '740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad';
const FCM =
  'dQw4w9WgXcQ-abcdefghij:APA91bHbYHk7aq-Uam_2pyJ2qbZvqllyyh2wjfPRaw5g0123456789abcdefghijklmnopqrstuv';
const FID = 'cAbCdEfGhIjKlMnOpQr-_9';
const EXPO = 'ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]';
const PLAYER = '6392d91a-b206-4b7b-a620-cd68e32c3a76';
const HUAWEI = `IQAAAACy0${'aBcD_-09'.repeat(12)}`;
const SUBSCRIPTION = '{"endpoint":"https://fcm.googleapis.com/fcm/send/abc","keys":{}}';
const WINDOWS = 'https://db3.notify.windows.com/?token=AgYAAACW0w';
const PRINTED = '<740f4707 bebcf74f 9b7c25d4 8e335894 5f6aa01d a5ddb387 462c7eaf 61bb78ad>';
const SHORTENED = '{length = 32, bytes = 0x740f4707 bebcf74f ... 61bb78ad }';

function faultOf(device: object): string | undefined {
  try {
    parseRegistration(device);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.details.map(({ path }) => path)).toEqual(['push_token']);
    return error.details[0]?.message;
  }
}

const PLACEHOLDER = /^is a placeholder and no token/;
const FOR_IOS = /; (?:for iOS|for an iPhone .* push_token_type "fcm" .*; otherwise) send Apple’s token/;
const FOR_ANDROID = /; for Android send the registration token/;

test.each<[platform: string, token: string, names: RegExp]>([
  ['iOS', FCM, /^is a token of Firebase; for an iPhone/],
  ['iOS', FID, /^is an installation id of Firebase; for an iPhone/],
  ['iOS', `APA91b${'x'.repeat(130)}`, /^is a token of Firebase; for an iPhone/],
  ['iOS', EXPO, /^is a token of Expo’s own service/],
  ['iOS', 'ExpoPushToken[abc]', /^is a token of Expo’s own service/],
  ['iOS', PRINTED, /^is the printed description of a token/],
  ['iOS', PRINTED.slice(1, -1), /^is the printed description of a token/],
  ['iOS', SHORTENED, /^is the printed description of a token/],
  ['iOS', Buffer.from(APPLE, 'hex').toString('base64'), /^is in base64/],
  ['iOS', `"${APPLE}"`, /^is a token with quotation marks around it/],
  ['iOS', `${APPLE}\n`, /^is a text with spaces or line breaks/],
  ['iOS', PLAYER, /^is a UUID/],
  ['iOS', PLAYER.toUpperCase(), /^is a UUID/],
  ['iOS', SUBSCRIPTION, /^is a subscription or an address/],
  ['iOS', HUAWEI, /^is a token of Huawei/],
  ['iOS', '', /^is empty/],
  ['iOS', ' \n', /^is empty/],
  ['iOS', '(null)', PLACEHOLDER],
  ['iOS', 'abc', /^must be an even number of hexadecimal digits/],
  ['Android', APPLE, /^is a token of Apple; for Android/],
  ['Android', APPLE.toUpperCase(), /^is a token of Apple/],
  ['Android', 'ab'.repeat(80), /^is a token of Apple/],
  ['Android', EXPO, /^is a token of Expo’s own service/],
  ['Android', SUBSCRIPTION, /^is a subscription or an address/],
  ['Android', WINDOWS, /^is a subscription or an address/],
  ['Android', HUAWEI, /^is a token of Huawei/],
  ['Android', 'amzn1.adm-registration.v3.Y29tLmFtYXpvbg', /^is a token of Amazon/],
  ['Android', `"${FCM}"`, /^is a token with quotation marks around it/],
  ['Android', `'${FCM}'`, /^is a token with quotation marks around it/],
  ['Android', `${FCM} `, /^is a text with spaces or line breaks/],
  ['Android', `${FCM}\n`, /^is a text with spaces or line breaks/],
  ['Android', '', /^is empty/],
  ['Android', 'null', PLACEHOLDER],
  ['Android', 'NULL', PLACEHOLDER],
  ['Android', '(null)', PLACEHOLDER],
  ['Android', '<null>', PLACEHOLDER],
  ['Android', 'undefined', PLACEHOLDER],
  ['Android', 'nil', PLACEHOLDER],
  ['Android', 'None', PLACEHOLDER],
  ['Android', 'NaN', PLACEHOLDER],
  ['Android', 'false', PLACEHOLDER],
  ['Android', '[object Object]', PLACEHOLDER],
  ['Android', 'BLACKLISTED', PLACEHOLDER],
  ['Android', 'SERVICE_NOT_AVAILABLE', PLACEHOLDER],
  ['Android', 'Optional("abc")', PLACEHOLDER],
  ['Android', 'token-with-ü', /^must be 1 to 2048 visible ASCII characters/],
])('a push token for %s, %j, is refused by name', (platform, push_token, names) => {
  const message = faultOf({ platform, push_token }) ?? '';
  expect(message).toMatch(names);
  if (!message.startsWith('must be')) expect(message).toMatch(platform === 'iOS' ? FOR_IOS : FOR_ANDROID);
  if (push_token.length > 12) expect(message).not.toContain(push_token);
  expect(isRegistrationAsStored({ platform, push_token })).toBe(false);
});

test.each([
  ['iOS', APPLE],
  ['iOS', 'AB'.repeat(100)],
  ['Android', FCM],
  ['Android', FID],
  ['Android', `APA91b${'x'.repeat(130)}`],
  ['Android', 'any-opaque-text'],
  ['Android', PLAYER],
  ['Android', 'nullable:APA91b'],
  ['Android', 'deadbeef'],
])('a push token for %s may be %s', (platform, push_token) => {
  expect(faultOf({ platform, push_token })).toBeUndefined();
});

test.each([FCM, 'any-other-text', `${FID}x`, FID.slice(1)])('an installation id is not %s', (push_token) => {
  expect(faultOf({ platform: 'Android', push_token, push_token_type: 'fid' })).toMatch(
    /^must be an installation id of Firebase/,
  );
});

test('an installation id is recognised by its form', () => {
  expect(faultOf({ platform: 'Android', push_token: FID, push_token_type: 'fid' })).toBeUndefined();
});
