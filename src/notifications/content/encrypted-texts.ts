/**
 * The optional key `encrypted_texts` of a notification: texts that the back end has encrypted for the keys of devices. A device
 * gets the text for its key next to the payload, which is the fallback (docs/decisions/0057-encrypted-texts.md).
 */
import { z } from 'zod';
import type { FaultDetail } from '../../api/errors.ts';
import { isJsonObject } from '../../api/parse.ts';
import { keyIdOf } from '../../encryption-key.ts';
import { ENCRYPTED_TEXT, type Payload, PAYLOAD_BYTES_MAX, showsText } from '../../gateways/payload.ts';
import type { NotificationContent } from '../message.ts';
import type { Version } from './payload-versions.ts';

export const ENCRYPTED_TEXTS_PATH = 'notification.encrypted_texts';

const ENTRIES_MAX = 1_000;
const KEY_ID = /^[A-Za-z0-9_-]{43}$/;
/** Header, no encrypted key, initialization vector of 12 bytes, ciphertext, tag of 16 bytes (RFC 7516, 7.1). */
const JWE = /^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/;

const rule = 'must be an object: the id of a key, and a JWE for it';
const jweRule =
  'must be a JWE in compact form, made with ECDH-ES and A256GCM: header..initialization vector.ciphertext.tag';

export const encryptedTextsField = z
  .record(z.string(), z.string(jweRule), rule)
  .superRefine((texts, context) => {
    const entries = Object.entries(texts);
    if (entries.length === 0) context.addIssue('must have at least one entry');
    if (entries.length > ENTRIES_MAX) return context.addIssue(`must have at most ${ENTRIES_MAX} entries`);
    for (const [keyId, jwe] of entries) {
      const message = KEY_ID.test(keyId)
        ? jweFault(keyId, jwe)
        : 'has a name that is not the id of a key: the 43 characters of encryption_key.kid of a device';
      if (message !== undefined) context.addIssue({ code: 'custom', path: [keyId], message });
    }
  })
  .meta({
    minProperties: 1,
    maxProperties: ENTRIES_MAX,
    propertyNames: { pattern: KEY_ID.source },
    additionalProperties: { type: 'string', maxLength: PAYLOAD_BYTES_MAX, pattern: JWE.source },
    description:
      'Texts that only the device reads: by the id of a key (`encryption_key.kid` of a device), a JWE in compact form that ' +
      'your back end has made for it. A device with such a key gets it as `_jwe` next to `payload`, any other `payload` alone.',
  });

/** @returns what is wrong with the entry; undefined: nothing, as far as can be seen without the private key */
function jweFault(keyId: string, jwe: string): string | undefined {
  if (jwe.length > PAYLOAD_BYTES_MAX)
    return `has ${jwe.length} characters; a push has room for ${PAYLOAD_BYTES_MAX} bytes in all`;
  if (!JWE.test(jwe)) return jweRule;
  const header = headerOf(jwe);
  if (header === undefined) return 'must begin with a header: JSON in base64url';
  if (header['alg'] !== 'ECDH-ES' || header['enc'] !== 'A256GCM')
    return 'must have the alg ECDH-ES and the enc A256GCM in its header';
  const { epk, kid = keyId } = header;
  if (!isJsonObject(epk) || epk['kty'] !== 'EC' || epk['crv'] !== 'P-256')
    return 'must have an ephemeral key of P-256 in its header (epk)';
  const unread = ['zip', 'crit', 'apu', 'apv'].find((name) => Object.hasOwn(header, name));
  if (unread !== undefined) return `must not have ${unread} in its header, which devices do not read`;
  return kid === keyId ? undefined : 'has the id of another key in its header (kid)';
}

function headerOf(jwe: string): Record<string, unknown> | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(jwe.slice(0, jwe.indexOf('.')), 'base64url').toString());
    return isJsonObject(header) ? header : undefined;
  } catch {
    return undefined;
  }
}

export function encryptedTextsFaults(
  { encrypted_texts: texts, live_activity: activity, apns }: NotificationContent,
  versions: () => readonly Version[],
): FaultDetail[] {
  if (texts === undefined) return [];
  const type = activity === undefined ? (apns?.push_type ?? 'alert') : 'live_activity';
  if (type !== 'alert') {
    return [{ path: ENCRYPTED_TEXTS_PATH, message: `cannot be sent with ${type}, which opens no texts` }];
  }
  return versions()
    .filter(({ payload }) => !showsText(payload))
    .map(({ path }) => ({
      path,
      message: 'must have an alert or a title, for devices that cannot open an encrypted text',
    }));
}

/** Whether a device gets an encrypted text; if not, why it gets the fallback. */
export const encryptedTextStates = ['sent', 'no_key', 'no_entry'] as const;
export type EncryptedTextState = (typeof encryptedTextStates)[number];

export function encryptedTextFor(
  texts: Readonly<Record<string, string>>,
  key: unknown,
): { state: EncryptedTextState; jwe?: string } {
  if (typeof key !== 'string') return { state: 'no_key' };
  const keyId = keyIdOf(key);
  const jwe = Object.hasOwn(texts, keyId) ? texts[keyId] : undefined;
  return jwe === undefined ? { state: 'no_entry' } : { state: 'sent', jwe };
}

/** @returns the payload of a device that gets the text; iOS hands it to the app only if the app may change the push */
export function withEncryptedText(payload: Payload, jwe: string): Payload {
  return { ...payload, mutable_content: true, [ENCRYPTED_TEXT]: jwe };
}

/** @returns the entry that makes the largest push; undefined: there is none */
export function longestEncryptedText({
  encrypted_texts: texts = {},
}: NotificationContent): { keyId: string; jwe: string } | undefined {
  const [longest] = Object.entries(texts).toSorted(([, one], [, other]) => other.length - one.length);
  return longest && { keyId: longest[0], jwe: longest[1] };
}
