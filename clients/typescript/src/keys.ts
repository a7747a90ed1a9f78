/** Idempotency keys, by which the server knows a notification that is sent again. They are made once for all tries of a call. */

/** Whether a call may be sent again, as the API's document says: `x-carillon-repeat`. */
export type Repeat = 'reads' | 'idempotent' | 'keyed' | 'only-after-429';

/** The body with a key for each item of a batch that has none; any other body as it is. */
export function withKeys(repeat: Repeat, body: unknown): unknown {
  if (repeat !== 'keyed' || !Array.isArray(body)) return body;
  return body.map((item: unknown) =>
    typeof item === 'object' && item !== null ? { idempotency_key: crypto.randomUUID(), ...item } : item,
  );
}
