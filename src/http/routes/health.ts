/** Liveness and readiness: whether the process answers, and whether what it depends on does. */
import type { FastifyInstance } from 'fastify';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import type { Queue } from '../../queue/queue.ts';

interface HealthDeps {
  db: Kysely<Database>;
  queue: Pick<Queue, 'ping'>;
  timeoutMs: number;
  /** Undefined: nobody watches it. */
  watch?: { readonly isFull: boolean } | undefined;
}

const state = z.enum(['up', 'down']);

type State = z.output<typeof state>;

export const livenessReply = z.strictObject({ status: z.literal('up') });

export const readinessReply = z.strictObject({
  status: state.describe('`up` where calls are taken and pushes delivered.'),
  database: state,
  queue: state,
  reason: z.string().optional().describe('One sentence for a person, where something is down.'),
});

const DATABASE_FULL = 'The disk of the database is full; nothing is stored or sent until there is room.';
const DATABASE_DOWN = 'The database does not answer.';
const QUEUE_DOWN = 'Redis is away; until it is back, workers look for work in the database every second.';

/**
 * `GET /healthz`: 200 as long as the process answers. `GET /readyz`: 200 or 503, with the state of each
 * dependency. Without Redis all goes on, a little later, so it is ready all the same. Neither asks for a key.
 */
export function addHealthRoutes(server: FastifyInstance, { db, queue, timeoutMs, watch }: HealthDeps): void {
  server.get('/healthz', async () => ({ status: 'up' }));

  server.get('/readyz', async (_request, reply) => {
    const [answered, queueState] = await Promise.all([
      stateOf(within(timeoutMs, sql`select 1`.execute(db))),
      stateOf(within(timeoutMs, queue.ping(timeoutMs))),
    ]);
    const isFull = watch?.isFull === true;
    const database = isFull ? 'down' : answered;
    const reasons = [
      ...(answered === 'down' ? [DATABASE_DOWN] : isFull ? [DATABASE_FULL] : []),
      ...(queueState === 'down' ? [QUEUE_DOWN] : []),
    ];
    const isReady = database === 'up';
    void reply.code(isReady ? 200 : 503);
    if (!isReady) void reply.header('retry-after', 5);
    const reason = reasons.length > 0 && { reason: reasons.join(' ') };
    return { status: database, database, queue: queueState, ...reason };
  });
}

async function stateOf(answer: Promise<unknown>): Promise<State> {
  try {
    await answer;
    return 'up';
  } catch {
    return 'down';
  }
}

/** A database that hangs is as good as down: its own timeouts are far longer than a readiness probe's. */
async function within(timeoutMs: number, answer: Promise<unknown>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
