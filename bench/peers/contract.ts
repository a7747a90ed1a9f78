/**
 * What a peer reads and writes. The first line of its standard input has its settings, every further one a run; it answers each run
 * with a line of JSON on its standard output, and ends with its input.
 */
import { z } from 'zod';

export const settingsSchema = z.object({
  /** Where the gateway is, and the certificate of the authority to trust. */
  host: z.string(),
  port: z.number().int(),
  caFile: z.string(),
  /** Apple's key (`.p8`), and for what app it is. */
  keyFile: z.string(),
  keyId: z.string(),
  teamId: z.string(),
  topic: z.string(),
  /** A push token per line; for browsers an endpoint and its keys. */
  tokensFile: z.string(),
  /** The collapse id, and `_nid` in the payload. */
  notificationId: z.string(),
  /** The most pushes in flight, if the library leaves that to its caller. */
  inFlight: z.number().int().positive(),
  /** The file of Google's service account, and the key pair for browsers. */
  serviceAccountFile: z.string(),
  vapidFile: z.string(),
  /** Where a server listens. */
  listenPort: z.number().int(),
});
export type PeerSettings = z.infer<typeof settingsSchema>;

/** Pushes to the tokens `first` to `first + count - 1`, counted from 0. */
export const runSchema = z.object({
  first: z.number().int().nonnegative(),
  count: z.number().int().positive(),
  /** Whether each device has an alert of its own, `Hello user-<number of its token>`, or all have `Hello`. */
  different: z.boolean(),
});
export type PeerRun = z.infer<typeof runSchema>;

export const answerSchema = z.object({
  accepted: z.number().int(),
  /** From the first push to the last answer. */
  ms: z.number(),
});
export type PeerAnswer = z.infer<typeof answerSchema>;
