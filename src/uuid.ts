const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The lowest and the highest id. */
export const FIRST_UUID = '00000000-0000-0000-0000-000000000000';
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Whether the text is a UUID. Other text cannot be an id, and Postgres would refuse it. */
export function isUuid(text: string): boolean {
  return PATTERN.test(text);
}
