/** As a regular expression, of Postgres as well; letters may be of either case. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const pattern = new RegExp(UUID_PATTERN);

/** Whether Postgres would take the text as an id; one of any other form names nothing. */
export function isUuid(text: string): boolean {
  return pattern.test(text);
}
