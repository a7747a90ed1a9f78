/** The reply to a batch: an entry for each item, in the shape that the reply to a single call has. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiError } from '../../../api/errors.ts';
import { stringifyJson } from '../../../json/lossless.ts';
import type { BatchOutcome } from '../../../notifications/create-batch.ts';
import { createdReply } from '../../../notifications/look-up/notification-reply.ts';
import type { Observe } from '../../../observe.ts';
import { errorBody, errorReply, toApiError } from '../../error-reply.ts';
import type { Item } from '../../list-body.ts';
import { observeFailure } from '../../observe-request.ts';

const STORED = 201;

const line = z
  .int()
  .min(1)
  .describe('The line of the request, from 1; empty lines count. For a JSON array the position, from 1.');

/** The reply of a single call, without `notification`. */
const storedEntry = createdReply
  .omit({ notification: true })
  .extend({ line, status: z.literal(STORED) })
  .meta({ id: 'StoredBatchEntry' });
const refusedEntry = errorReply
  .extend({ line, status: z.int().min(400).max(599) })
  .meta({ id: 'RefusedBatchEntry' });

const batchEntry = z.union([storedEntry, refusedEntry]).meta({ id: 'BatchEntry' });

export const entriesReply = z.array(batchEntry).meta({ id: 'CreatedNotifications' });

export function openBatchReply() {
  const count = { stored: 0, refused: 0, failed: 0 };
  /** One for each cause: an outage makes hundreds of equal failures. */
  const failures = new Map<string, ApiError>();

  return {
    /** @returns the entry of an item, as JSON */
    entryOf: ({ line: number }: Item, outcome: BatchOutcome): string => {
      if ('created' in outcome) {
        count.stored += 1;
        const { notification: _sent, ...stored } = outcome.created;
        return stringifyJson({ line: number, status: STORED, ...stored });
      }
      const error = toApiError(outcome.error);
      if (error.status < 500) {
        count.refused += 1;
      } else {
        count.failed += 1;
        failures.set(`${error.code} ${causeOf(error)}`, error);
      }
      return stringifyJson({ line: number, status: error.status, ...errorBody(error) });
    },
    /** Counts and logs the results of the items. @throws {ApiError} if every item failed by a failure of ours */
    finish: (observe: Observe, request: FastifyRequest): void => {
      observe({ kind: 'batch_handled', requestId: request.id, ...count });
      const [first] = failures.values();
      if (first !== undefined && count.stored + count.refused === 0) throw first;
      for (const failure of failures.values()) observeFailure(observe, request, failure);
    },
  };
}

function causeOf({ cause }: ApiError): string {
  return cause instanceof Error ? cause.message : String(cause);
}
