/** Answers a call from the read replica, and from the primary if the replica is too old, fails, or lacks what was asked for. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import type { CountCache } from '../audiences/count-cache.ts';
import type { Replica } from '../db/replica/replica.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../api/errors.ts';

export interface ReplicaReads {
  replica: Replica;
  /** Resources that a handler gets instead of the primary's. */
  instead: { db: Kysely<Database>; countCache: CountCache };
}

/**
 * In a request, `primary` asks for the primary. In the reply to a call that only reads, it names the database that was
 * read.
 */
export const READ_FROM = 'carillon-read-from';
/** In a reply: its maximum age, in seconds. */
export const LAG = 'carillon-replica-lag';

/** @param answer runs the call; twice if the replica fails */
export async function answerFromReplica<Deps>(
  { replica, instead }: ReplicaReads,
  deps: Deps,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  answer: (deps: Deps) => Promise<unknown>,
): Promise<unknown> {
  const lagMs = request.headers[READ_FROM] === 'primary' ? undefined : replica.lagMs();
  if (lagMs !== undefined) {
    void reply.headers({ [READ_FROM]: 'replica', [LAG]: (Math.ceil(lagMs) / 1_000).toFixed(3) });
    try {
      return await answer({ ...deps, ...instead });
    } catch (error) {
      if (reply.sent || !mayDiffer(error)) throw error;
      void reply.removeHeader(LAG);
    }
  }
  sayPrimary(reply);
  return answer(deps);
}

/** For a call that only reads: says that its reply is from the primary. */
export function sayPrimary(reply: FastifyReply): void {
  void reply.header(READ_FROM, 'primary');
}

/** Whether to try the primary: it may have what the replica lacks, and does not share the replica's errors. */
function mayDiffer(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 'not_found';
}
