/** Liveness and readiness: whether the process answers, and whether its database and its queue do. */
import { z } from 'zod';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { DatabaseTrouble, DatabaseWatch } from '../../db/watch-database.ts';
import { countTroubled, troubledInWords } from '../../db/state/troubled-notifications.ts';
import type { DatabaseCondition } from '../../observe.ts';
import type { Queue } from '../../queue/queue.ts';
import { withinTime } from '../../scheduling/time-limit.ts';
import { callsWithoutKey } from '../call.ts';

interface HealthDeps {
  db: Kysely<Database>;
  queue: Pick<Queue, 'ping'>;
  readinessTimeoutMs: number;
  /** Undefined: nothing watches the database. */
  watch?: Pick<DatabaseWatch, 'trouble'> | undefined;
}

type State = 'up' | 'down';

/** Sentences for the conditions in which the database answers, but calls and pushes cannot be handled. */
const STOPPED: Partial<Record<DatabaseCondition, string>> = {
  disk_full: 'The disk of the database is full; nothing is stored or sent until there is space.',
  locked: 'Statements wait for a lock in the database',
  read_only: 'The database accepts no writes; nothing is stored or sent until it accepts them.',
};
/** For the other conditions, which concern some statements. */
const TROUBLED = 'The database has a problem';
const DATABASE_DOWN = 'The database does not answer.';
const QUEUE_DOWN = 'Redis is away; until it is back, workers poll the database every second.';

const upOrDown = z.enum(['up', 'down']);

const readinessReply = z
  .strictObject({
    status: upOrDown.describe('`up` if calls are accepted and pushes are delivered.'),
    database: upOrDown,
    queue: upOrDown,
    reason: z.string().optional().describe('One sentence for a person, if something is down.'),
  })
  .meta({ id: 'Readiness' });

const livenessReply = z.strictObject({ status: z.literal('up') }).meta({ id: 'Liveness' });

const call = callsWithoutKey<HealthDeps>('Service');

export const healthCalls = [
  call({
    id: 'readLiveness',
    method: 'GET',
    path: '/healthz',
    summary: 'Check whether the process answers',
    replies: [
      { status: 200, description: 'The process answers.', schema: livenessReply, example: { status: 'up' } },
    ],
    handle: async () => ({ status: 'up' }),
  }),
  call({
    id: 'readReadiness',
    method: 'GET',
    path: '/readyz',
    summary: 'Check whether the service is ready',
    description:
      'The service is ready even without its queue: workers then find new notifications in the database within about a second.',
    replies: [
      {
        status: 200,
        description: 'Calls are accepted and pushes are delivered.',
        schema: readinessReply,
        example: { status: 'up', database: 'up', queue: 'up' },
      },
      {
        status: 503,
        description: 'Calls cannot be served; `reason` says why.',
        schema: readinessReply,
        example: {
          status: 'down',
          database: 'down',
          queue: 'up',
          reason: 'The database does not answer.',
        },
      },
    ],
    handle: async ({ db, queue, readinessTimeoutMs: timeoutMs, watch }, reply) => {
      const [answered, queueState] = await Promise.all([
        // A database that hangs counts as down: its own timeouts are far longer than a readiness probe waits.
        stateOf(withinTime(timeoutMs, sql`select 1`.execute(db))),
        stateOf(withinTime(timeoutMs, queue.ping(timeoutMs))),
      ]);
      const trouble = watch?.trouble;
      const stopped = trouble && STOPPED[trouble.condition];
      const database = stopped === undefined ? answered : 'down';
      const troubled = database === 'up' ? await troubledNotifications(db, timeoutMs) : undefined;
      const reasons = [
        ...(trouble === undefined ? (answered === 'down' ? [DATABASE_DOWN] : []) : [sentenceOf(trouble)]),
        ...(troubled ?? []),
        ...(queueState === 'down' ? [QUEUE_DOWN] : []),
      ];
      if (database === 'down') void reply.code(503).header('retry-after', 5);
      const reason = reasons.length > 0 && { reason: reasons.join(' ') };
      return { status: database, database, queue: queueState, ...reason };
    },
  }),
];

/** A lock is named with its table and its owner. */
function sentenceOf({ condition, message }: DatabaseTrouble): string {
  const sentence = STOPPED[condition] ?? TROUBLED;
  return sentence.endsWith('.') ? sentence : `${sentence}: ${message}.`;
}

/** Says how many notifications cannot be planned or sent, and why the last one could not. */
async function troubledNotifications(db: Kysely<Database>, timeoutMs: number): Promise<string[]> {
  const troubled = await withinTime(timeoutMs, countTroubled(db)).catch(() => undefined);
  if (troubled === undefined || troubled.count === 0) return [];
  return [`${troubledInWords(troubled)}.`];
}

async function stateOf(answer: Promise<unknown>): Promise<State> {
  try {
    await answer;
    return 'up';
  } catch {
    return 'down';
  }
}
