import { z } from 'zod';

/** What the file of a key pair for browsers holds. */
export const vapidSchema = z.object({
  privateKey: z.string(),
  publicKey: z.string(),
  subject: z.string(),
  url: z.string().nullable(),
});
