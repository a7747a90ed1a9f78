/** The query parameters of paged lists. A cursor names the entry after which a page begins: lists are sorted by time and id. */
import { z } from 'zod';
import { isUuid } from '../uuid.ts';

/** The last entry of a page. The next page starts after it, even if entries were created in between. */
export interface Position {
  createdAt: Date;
  id: string;
}

const cursorRule = 'must be the cursor of the previous page';

/** The schema of the query parameter. */
export const pageCursor = z
  .string(cursorRule)
  .transform((text, context) => {
    const position = positionOf(text);
    if (position === undefined) context.addIssue(cursorRule);
    return position;
  })
  .meta({ type: 'string', description: '`meta.cursor` of the previous page.' })
  .optional();

export function cursorOf({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url');
}

function positionOf(cursor: string): Position | undefined {
  const [time, id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const parsed = z.iso.datetime().safeParse(time);
  if (!parsed.success || !isUuid(id)) return undefined;
  const position = { createdAt: new Date(parsed.data), id };
  // Decoding base64 ignores stray characters, so the cursor is encoded again and compared.
  return cursorOf(position) === cursor ? position : undefined;
}

/** A query parameter arrives as text, or as a list of texts if it is repeated. */
export function wholeNumber(most: number, description: string) {
  const rule = `must be a whole number from 1 to ${most}`;
  return z
    .string(rule)
    .regex(/^[1-9]\d{0,8}$/, rule)
    .transform(Number)
    .refine((number) => number <= most, rule)
    .meta({ type: 'integer', minimum: 1, maximum: most, description });
}
