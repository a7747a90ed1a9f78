/** Statistics of a notification: what was pushed, what was opened. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { notificationStats } from '../../notifications/stats.ts';
import type { Authentication } from '../authenticate.ts';

interface StatsDeps {
  db: Kysely<Database>;
  authentication: Authentication;
}

export function addStatsRoutes(server: FastifyInstance, { db, authentication }: StatsDeps): void {
  const mayRead = { onRequest: authentication.require('read') };

  server.get<{ Params: { id: string } }>('/v6/stats/notifications/:id/events', mayRead, async (request) =>
    notificationStats(db, authentication.callerOf(request).appId, request.params.id),
  );
}
