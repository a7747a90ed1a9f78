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
}

const state = z.enum(['up', 'down']);

type State = z.output<typeof state>;

export const livenessReply = z.strictObject({ status: z.literal('up') });

export const readinessReply = z.strictObject({
  status: state.describe('`up` where all the others are.'),
  database: state,
  queue: state,
});

/**
 * `GET /healthz`: 200 as long as the process answers. `GET /readyz`: 200 or 503, with the state of each
 * dependency: `{"database": "up", "queue": "down"}`. Neither asks for a key.
 */
export function addHealthRoutes(server: FastifyInstance, { db, queue, timeoutMs }: HealthDeps): void {
  server.get('/healthz', async () => ({ status: 'up' }));

  server.get('/readyz', async (_request, reply) => {
    const [database, queueState] = await Promise.all([
      stateOf(within(timeoutMs, sql`select 1`.execute(db))),
      stateOf(within(timeoutMs, queue.ping(timeoutMs))),
    ]);
    const ready = database === 'up' && queueState === 'up';
    void reply.code(ready ? 200 : 503);
    if (!ready) void reply.header('retry-after', 5);
    return { status: ready ? 'up' : 'down', database, queue: queueState };
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
