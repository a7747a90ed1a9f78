/**
 * Which calls may be sent again although the server may have carried them out: those that only read, those that set what they
 * set before, and notifications, whose key the server knows. An event that is reported again counts twice, and an audience
 * or a key that is created again is a second one, so those calls are not among them.
 */

const BATCH = '/v6/notifications/batch';

const REPEATABLE_POSTS: ReadonlySet<string> = new Set([
  '/v3/notifications',
  '/v5/notifications',
  '/v6/notifications',
  BATCH,
  '/v6/notifications/preview',
  '/v6/notifications/count',
  '/v6/notifications/locales',
  '/v6/notifications/waves',
  '/v6/notifications/{notification_id}/opens',
  '/v6/receipts',
  '/v6/devices',
  '/v6/devices/lookup',
  '/v6/audiences/count',
  '/v6/audiences/count/filters',
  '/v6/audiences/sample',
  '/v6/audiences/explain',
]);

/** The calls that take an `Idempotency-Key`. */
const KEYED: ReadonlySet<string> = new Set(['/v3/notifications', '/v5/notifications', '/v6/notifications']);

/** @param path as the API's document has it */
export function isRepeatable({ method, headers }: Request, path: string): boolean {
  if (method !== 'POST') return true;
  // The items of a batch that the caller has written as lines have the keys that the caller gave them, or none.
  if (path === BATCH && headers.get('content-type') !== 'application/json') return false;
  return REPEATABLE_POSTS.has(path);
}

export function takesKey({ method }: Request, path: string): boolean {
  return method === 'POST' && KEYED.has(path);
}

/** The body of a batch with a key for each item that has none; any other body as it is. */
export function withKeys(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  return body.map((item: unknown) => {
    if (!isBatchItem(item)) return item;
    return { ...item, idempotency_key: item.idempotency_key ?? crypto.randomUUID() };
  });
}

/** In a receipt, `notification` is an id. */
function isBatchItem(item: unknown): item is { notification: object; idempotency_key?: string } {
  return (
    typeof item === 'object' &&
    item !== null &&
    'notification' in item &&
    typeof item.notification === 'object'
  );
}
