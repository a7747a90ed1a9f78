/**
 * Limits the memory of bodies: large ones share a budget until they are answered. Thousands of callers that send 1 MiB each, a
 * few bytes at a time, would otherwise fill the memory of the process.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { finished } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { UNLIMITED } from '../body.ts';
import { overloaded } from './refusal.ts';

/** Bodies up to this size are not counted: a single notification has 4 KiB at most, a device less. */
export const LARGE_BODY_BYTES = 16 * 1024;

/** JSON takes several times the size of its text once it is parsed. */
const PART_OF_HEAP = 1 / 16;
const BUDGET_BYTES_MIN = 16 * 1024 * 1024;

export const bodyBudgetBytes = Math.max(
  BUDGET_BYTES_MIN,
  Math.floor(PART_OF_HEAP * getHeapStatistics().heap_size_limit),
);

/** @returns the size of the body according to its header; infinite if the header does not say */
export function bodyBytesOf({
  'content-length': length,
  'transfer-encoding': encoding,
}: IncomingHttpHeaders): number {
  if (encoding !== undefined) return Infinity;
  return length === undefined ? 0 : Number(length);
}

/**
 * Refuses large bodies with 503 while the budget is used up. Runs after the key of a request has been checked, before its
 * body is read. A body that is streamed takes nothing.
 */
export function limitBodies(server: FastifyInstance, budgetBytes: number): void {
  let freeBytes = budgetBytes;
  server.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = bodyBytesOf(request.headers);
    if (bytes <= LARGE_BODY_BYTES) return done(null, payload);
    const { bodyLimit } = request.routeOptions;
    if (bodyLimit === undefined || bodyLimit === UNLIMITED) return done(null, payload);
    const taken = Math.min(bytes, bodyLimit); // a larger one is refused when that much of it has arrived
    if (taken > freeBytes) return done(overloaded('Too many large bodies are being sent at once'));
    freeBytes -= taken;
    finished(reply.raw, () => {
      freeBytes += taken;
    });
    return done(null, payload);
  });
}
