/** Recognises what a reader has pasted into the look-up field. */

/** `other`: a user id, or its beginning. */
type QueryKind = 'id' | 'token' | 'email' | 'other';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const APPLE_TOKEN = /^(?:[0-9a-f]{2}){32,100}$/i;
/** `fGhJ7kQ2…:APA91b…` */
const GOOGLE_TOKEN = /^[\w-]+:[\w-]{20,}$/;
/** A Firebase installation id, which FCM accepts instead of a token. */
const INSTALLATION_ID = /^[cdef][\w-]{21}$/;
/** Longer than any user id that people type. */
const LONG = 100;

export function queryKindOf(text: string): QueryKind {
  if (ID.test(text)) return 'id';
  const isToken = APPLE_TOKEN.test(text) || GOOGLE_TOKEN.test(text) || INSTALLATION_ID.test(text);
  if (isToken || text.length > LONG) return 'token';
  return text.includes('@') ? 'email' : 'other';
}

/** Whether the text may be in an address, which browsers and proxies keep. A push token and an e-mail address may not. */
export function mayBeInAddress(text: string): boolean {
  const kind = queryKindOf(text);
  return kind === 'id' || kind === 'other';
}

export const kindLabels: Readonly<Record<QueryKind, string>> = {
  id: 'Looks like the id of a device; user ids of this form are found as well.',
  token: 'Looks like a push token. It stays out of the address of this page and out of the server’s log.',
  email: 'Looks like an e-mail address. It stays out of the address of this page.',
  other: 'Read as a user id, or the beginning of one.',
};
