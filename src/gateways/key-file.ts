/**
 * Reads key files in the forms that people provide, and says what a file is if it holds no key. No sentence contains a
 * part of the file.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';

/** The first PEM block, whatever separates its lines; old encrypted keys have a colon in their headers. */
const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/;
const PEM_LINE = /.{1,64}/g;
const BASE64 = /^[A-Za-z0-9+/=_\s-]{40,}$/;

/**
 * @returns a key in PEM as OpenSSL reads it. Only details that are not part of the key are changed: a byte order mark,
 *   white space and line ends, which may also be the two characters `\n` after copying from JSON or into an environment
 *   variable
 */
export function readPem(text: string): string {
  const lines = text.replaceAll(/\\r|\\n/g, '\n');
  const [, label, body = ''] = PEM.exec(lines) ?? [];
  if (label === undefined) return text;
  const wrapped = body.replaceAll(/\s/g, '').match(PEM_LINE) ?? [];
  return [`-----BEGIN ${label}-----`, ...wrapped, `-----END ${label}-----`, ''].join('\n');
}

/** @returns undefined if the text holds no private key in PEM */
export function privateKeyIn(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(readPem(text));
  } catch {
    return undefined;
  }
}

/** Other contents of PEM, by its first line. */
const PEM_KINDS: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/,
    'is encrypted with a password: decrypt it first',
  ],
  [/-----BEGIN OPENSSH PRIVATE KEY-----|^ssh-|^ecdsa-/, 'is a key for SSH'],
  [/-----BEGIN (?:RSA |EC )?PUBLIC KEY-----/, 'is a public key, but the private one is needed'],
  [/-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/, 'is a request for a certificate'],
  [/-----BEGIN (?:TRUSTED )?CERTIFICATE-----/, 'is a certificate, not a key'],
  [
    /-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/,
    'is a private key in PEM format that is damaged: characters are missing or changed',
  ],
];
/** Other texts. */
const TEXT_KINDS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'is empty'],
  // UTF-16 and binary files, as they look when read as UTF-8.
  [/^\uFFFD{0,2}(?:[\n\r -~]\0|\0[\n\r -~]){4}/, 'is in UTF-16: save it as UTF-8'],
  [/[\0\uFFFD]/, 'is binary, like a .p12, .cer or .der file: these hold certificates'],
  [
    /^<(?:\?xml|!DOCTYPE plist|plist)/,
    'is a property list, like the GoogleService-Info.plist of an iOS app, which holds no key',
  ],
  [/^AIza[\w-]{30,}$/, 'is an API key of Google, which cannot send'],
  [/^AAAA[\w-]{7}:APA91[\w-]+$/, 'is a server key of the old FCM, which Google has switched off'],
];

/** @returns what a text is, as the rest of a sentence; undefined if it resembles nothing known. Not for a text with a key in it */
export function describeText(text: string): string | undefined {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  const kind = [...PEM_KINDS, ...TEXT_KINDS].find(([form]) => form.test(trimmed))?.[1];
  return kind ?? describeJson(parseText(trimmed)) ?? describeBase64(trimmed);
}

/** @returns what an object is if it is not a service account; undefined if it resembles nothing known */
export function describeJson(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('project_info' in value || 'client' in value) {
    return 'is the google-services.json of an Android app, which holds no key';
  }
  if ('installed' in value || 'web' in value) return 'is an OAuth client id of Google, which cannot send';
  return 'type' in value && typeof value.type === 'string' ? JSON_TYPES.get(value.type) : undefined;
}

/** https://google.aip.dev/auth/4110 */
const JSON_TYPES: ReadonlyMap<string, string> = new Map([
  ['service_account', 'is a service account of Google'],
  ['authorized_user', 'is the login of a person (gcloud auth application-default login)'],
  [
    'external_account',
    'is a configuration of workload identity: instead of a file, give the project, to use the identity of the process',
  ],
]);

/** @returns undefined if the text is not JSON; a byte order mark and white space around it do not matter */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function describeBase64(text: string): string | undefined {
  if (!BASE64.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.subarray(0, 1).toString() === '{') return 'is JSON in base64: decode it first (base64 -d)';
  if (bytes.includes('-----BEGIN'))
    return 'is a key that was encoded in base64 again: decode it first (base64 -d)';
  if (isDerKey(bytes))
    return 'lacks its first and last line: -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----';
  return bytes[0] === DER_SEQUENCE
    ? 'is base64 of something binary that is not a private key, such as a certificate'
    : undefined;
}

const DER_SEQUENCE = 0x30;

function isDerKey(key: Buffer): boolean {
  return (['pkcs8', 'pkcs1', 'sec1'] as const).some((type) => {
    try {
      createPrivateKey({ key, format: 'der', type });
      return true;
    } catch {
      return false;
    }
  });
}

/** @returns the kind of a key in words, such as `an RSA key` */
export function describeKey({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  if (type === 'ec')
    return `an elliptic-curve key on ${details?.namedCurve === 'prime256v1' ? 'P-256' : details?.namedCurve}`;
  return type === 'rsa' ? 'an RSA key' : `a key of the kind ${type}`;
}
