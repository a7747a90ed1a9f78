/**
 * What is stored of a notification with hidden texts: `body` without them, from which everything is read, and the body as
 * submitted, encrypted, which only delivery reads. It is deleted by the statement that ends the notification.
 */
import type { TokenKeys } from '../../apps/token-keys.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { type NotificationContent, parseContent } from '../message.ts';
import { hidesSome, redacted } from './sensitive.ts';

/**
 * @returns the notification as replies show it, its JSON, and the JSON as submitted, encrypted if something
 *   is hidden
 */
export async function hideTexts(
  { sensitive }: NotificationContent,
  submitted: { appId: string; id: string; notification: Record<string, unknown>; body: string },
  tokenKeys: TokenKeys | undefined,
): Promise<{ notification: Record<string, unknown>; body: string; encrypted?: Buffer }> {
  const { appId, id, notification, body } = submitted;
  if (!hidesSome(sensitive)) return { notification, body };
  if (tokenKeys === undefined) throw new Error('there is no key to encrypt a sensitive notification with');
  const shown = redacted(sensitive, notification);
  const key = await tokenKeys.of(appId);
  return { notification: shown, body: stringifyJson(shown), encrypted: key.encryptBody(body, id) };
}

export interface StoredRow {
  appId: string;
  id: string;
  body: string;
  encryptedBody: Buffer | null;
}

/**
 * The content as it is sent.
 * @throws {Error} if it has hidden texts that are no longer stored, because it has ended, or that this key does not open
 */
export async function contentToSend(
  { appId, id, body, encryptedBody }: StoredRow,
  tokenKeys: TokenKeys,
): Promise<NotificationContent> {
  if (encryptedBody !== null) return parseContent((await tokenKeys.of(appId)).decryptBody(encryptedBody, id));
  const content = parseContent(body);
  if (hidesSome(content.sensitive)) throw new Error('its hidden texts are deleted: it has ended');
  return content;
}
