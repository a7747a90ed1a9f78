/** What the schemas of replies are made of. The types of replies, and the API's document, come from them. */
import { z } from 'zod';

/** An id that the service gave out. */
export const idText = z.guid();

/** A moment, as every reply shows one: ISO 8601 in UTC, with milliseconds. */
export const timeText = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: 'date-time' });

/** How many of something. */
export const count = z.int().min(0);
