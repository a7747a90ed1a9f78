/** Users: attributes and events that go to every device of one user. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { parseEventsBody, recordUserEvents } from '../../devices/events.ts';
import { parseUserBody, updateUser } from '../../devices/users.ts';
import type { Authentication } from '../authenticate.ts';
import { requiredBody } from '../body.ts';
import { eventSourceOf, refuseForeignSources } from '../event-source.ts';

interface UserDeps {
  db: Kysely<Database>;
  clock: Clock;
  authentication: Authentication;
}

interface ByUserId {
  Params: { userId: string };
}

export function addUserRoutes(server: FastifyInstance, { db, clock, authentication }: UserDeps): void {
  const mayWrite = { onRequest: authentication.require('write') };
  const mayReport = { onRequest: authentication.require('register', 'write') };

  server.put<ByUserId>('/v6/users/:userId', mayWrite, async (request) => {
    const { appId } = authentication.callerOf(request);
    const update = parseUserBody(requiredBody(request));
    return updateUser(db, appId, request.params.userId, update, clock);
  });

  server.post<ByUserId>('/v6/users/:userId/events', mayReport, async (request, reply) => {
    const caller = authentication.callerOf(request);
    const events = parseEventsBody(requiredBody(request));
    refuseForeignSources(caller, events);
    const options = { defaultSource: eventSourceOf(caller) };
    await recordUserEvents(db, caller.appId, request.params.userId, events, options, clock);
    return reply.code(202).send({});
  });
}
