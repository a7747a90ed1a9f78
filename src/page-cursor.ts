/** The place in a list that is sorted by time and id, as callers hand it back: the cursor of the page before. */
import { z } from 'zod';
import { isUuid } from './uuid.ts';

/** The last entry of a page: the next one starts behind it, whatever has been created meanwhile. */
export interface Position {
  createdAt: Date;
  id: string;
}

const rule = 'must be the cursor of the page before';

/** As it stands in an address. */
export const pageCursor = z
  .string(rule)
  .transform((text, context) => {
    const position = positionOf(text);
    if (position === undefined) context.addIssue(rule);
    return position;
  })
  .meta({ type: 'string', description: '`meta.cursor` of the page before.' })
  .optional();

export function cursorOf({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url');
}

function positionOf(cursor: string): Position | undefined {
  const [time, id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const parsed = z.iso.datetime().safeParse(time);
  if (!parsed.success || !isUuid(id)) return undefined;
  const position = { createdAt: new Date(parsed.data), id };
  // Only what was handed out: decoding base64 lets stray characters pass.
  return cursorOf(position) === cursor ? position : undefined;
}
