/** The input of the caller's process, and the lines that it prints. */
import { z } from 'zod';

export const callerInput = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** A body per line. */
  bodiesFile: z.string(),
  /** The number of lines to use, in turn; after the last, the first is used again. */
  bodiesCount: z.number(),
  firstBody: z.number(),
  connections: z.number(),
  /** The calls end at this number, or after this time. */
  callsMax: z.number(),
  seconds: z.number(),
  /** Null: as fast as answers come. */
  perSecond: z.number().nullable(),
  recordsFile: z.string(),
});
export type CallerInput = z.infer<typeof callerInput>;

/** Printed when all connections are open and the calls begin. */
export const started = z.object({ kind: z.literal('started') });
export type Started = z.infer<typeof started>;

export const lastAnswer = z.object({
  kind: z.literal('last_answer'),
  begun: z.number(),
  accepted: z.number(),
  /** Calls refused with 429 or 503. */
  refused: z.number(),
  /** Unix milliseconds: the start, and the last answer. */
  firstMs: z.number(),
  lastMs: z.number(),
  /** Processor time of the caller's process. */
  processorMicroseconds: z.number(),
});
export type LastAnswer = z.infer<typeof lastAnswer>;

/** Milliseconds from the time of a call to its answer. */
export const recorded = z.object({ kind: z.literal('recorded'), p50: z.number(), p99: z.number() });
export type Recorded = z.infer<typeof recorded>;
