import type { FastifyReply } from 'fastify';

/** Aborts where the caller is gone before the reply is. (Fastify's `request.signal` is over with the request's body.) */
export function hangUpOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
