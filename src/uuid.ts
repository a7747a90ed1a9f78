import { randomUUIDv7 } from 'node:crypto';

const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The lowest and the highest id. */
export const FIRST_UUID = '00000000-0000-0000-0000-000000000000';
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Whether the text is a UUID. Other text cannot be an id, and Postgres would refuse it. */
export function isUuid(text: string): boolean {
  return PATTERN.test(text);
}

/**
 * @returns an id for a new row of a table that grows with every notification. It begins with the machine's time (UUID
 *   version 7, RFC 9562), so the rows of a moment have neighboring entries in the indexes. With random ids each of them
 *   would change a page of its own, and Postgres logs every page in full at its first change after a checkpoint.
 */
export function newId(): string {
  return randomUUIDv7();
}
