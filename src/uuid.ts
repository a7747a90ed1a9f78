const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether Postgres would take the text as an id; one of any other form names nothing. */
export function isUuid(text: string): boolean {
  return PATTERN.test(text);
}
