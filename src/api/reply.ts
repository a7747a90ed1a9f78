/** Building blocks of reply schemas. The types of replies and the OpenAPI document are made from these schemas. */
import { z } from 'zod';

/** An id assigned by the service. */
export const idText = z.guid();

/** The format of times in all replies: ISO 8601 in UTC, with milliseconds. */
export const timeText = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: 'date-time' });

export const count = z.int().min(0);

/** The reply of a call that has nothing to return. */
export const nothing = z.strictObject({}).meta({ id: 'Nothing' });

/** The part of a page that leads to the other pages. */
export const pageMeta = z
  .strictObject({ cursor: z.string().nullable().describe('Leads to the next page; null on the last one.') })
  .meta({ id: 'PageMeta' });
