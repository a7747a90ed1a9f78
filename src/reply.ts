/** Building blocks of reply schemas, from which the types of replies and the OpenAPI document are made. */
import { z } from 'zod';

/** An id that the service assigned. */
export const idText = z.guid();

/** A time as every reply has it: ISO 8601 in UTC, with milliseconds. */
export const timeText = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: 'date-time' });

export const count = z.int().min(0);
