const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The ends of the id space, both included. */
export const FIRST_UUID = '00000000-0000-0000-0000-000000000000';
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Whether Postgres would take the text as an id; one of any other form names nothing. */
export function isUuid(text: string): boolean {
  return PATTERN.test(text);
}
