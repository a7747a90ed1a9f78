/** Liveness and readiness: whether the process answers, and what is wrong with the server. */
import { z } from 'zod';
import type { Status } from '../../status/status.ts';
import { serverTroubleReply, type TroubleCode, withoutApp } from '../../status/trouble.ts';
import { callsWithoutKey, jsonReply } from '../call.ts';

interface HealthDeps {
  status: Pick<Status, 'fresh' | 'troubles' | 'isDatabaseUp' | 'isQueueUp'>;
}

/** In these troubles the database answers, and yet calls and pushes cannot be handled. */
const STOPPED: ReadonlySet<TroubleCode> = new Set(['disk_full', 'database_locked', 'database_read_only']);

const upOrDown = z.enum(['up', 'down']);

const readinessReply = z
  .strictObject({
    status: upOrDown.describe('`up` if calls are accepted and pushes are delivered.'),
    database: upOrDown,
    queue: upOrDown,
    reason: z.string().optional().describe('For a person, if something is wrong: all `what` and `effect`.'),
    troubles: z
      .array(serverTroubleReply.meta({ id: 'ServerTrouble' }))
      .describe(
        'What is wrong with the whole server, the worst first; `GET /v6/status` has those of an app too.',
      ),
  })
  .meta({ id: 'Readiness' });

const livenessReply = z.strictObject({ status: z.literal('up') }).meta({ id: 'Liveness' });

const call = callsWithoutKey<HealthDeps>('Service');

const databaseAway = {
  code: 'database_away',
  since: '2026-11-21T12:00:07.114Z',
  what: 'The database does not answer.',
  effect: 'Calls fail, and pushes wait; outcomes of pushes in flight are kept in memory.',
  remedy: 'Check that Postgres runs and that DATABASE_URL names its host and port.',
};

export const healthCalls = [
  call({
    id: 'readLiveness',
    address: 'GET /healthz',
    summary: 'Check whether the process answers',
    replies: [jsonReply(200, 'The process answers.', livenessReply, { status: 'up' })],
    handle: async () => ({ status: 'up' }),
  }),
  call({
    id: 'readReadiness',
    address: 'GET /readyz',
    summary: 'Check whether the service is ready',
    description:
      'The service is ready even without its queue: workers then find new notifications in the database within about a second.',
    replies: [
      jsonReply(200, 'Calls are accepted and pushes are delivered.', readinessReply, {
        status: 'up',
        database: 'up',
        queue: 'up',
        troubles: [],
      }),
      jsonReply(503, 'Calls cannot be served; `reason` says why.', readinessReply, {
        status: 'down',
        database: 'down',
        queue: 'up',
        reason: `${databaseAway.what} ${databaseAway.effect}`,
        troubles: [databaseAway],
      }),
    ],
    handle: async ({ status }, reply) => {
      await status.fresh();
      const all = status.troubles();
      const isUp = status.isDatabaseUp && !all.some(({ code }) => STOPPED.has(code));
      const troubles = all.filter(({ code, appId }) => appId === null || code === 'notifications_troubled');
      const reasons = troubles.map(({ what, effect }) => `${what} ${effect}`);
      if (!isUp) void reply.code(503).header('retry-after', 5);
      return {
        status: isUp ? 'up' : 'down',
        database: isUp ? 'up' : 'down',
        queue: status.isQueueUp ? 'up' : 'down',
        ...(reasons.length > 0 && { reason: reasons.join(' ') }),
        troubles: troubles.filter(({ appId }) => appId === null).map(withoutApp),
      };
    },
  }),
];
