/** Notifications: create (versions 3, 5 and 6 alike), list, read, cancel, one device's outcome, opens. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { recordOpen } from '../../delivery/outcomes/opens.ts';
import { readDelivery } from '../../delivery/outcomes/device-outcome.ts';
import { cancelNotification } from '../../notifications/cancel.ts';
import { createNotification } from '../../notifications/create.ts';
import { listNotifications, listQuery } from '../../notifications/list.ts';
import { readNotification } from '../../notifications/read.ts';
import type { Observe } from '../../observe.ts';
import { parseBy } from '../../parse.ts';
import type { Queue } from '../../queue/queue.ts';
import type { Authentication } from '../authenticate.ts';
import { requiredBody } from '../body.ts';
import { idFrom } from '../parameters.ts';
import type { RequestSpans } from '../trace-requests.ts';

interface NotificationDeps {
  db: Kysely<Database>;
  queue: Pick<Queue, 'add'>;
  clock: Clock;
  observe: Observe;
  authentication: Authentication;
  spans: RequestSpans;
}

interface Create {
  /** Node joins a header that is sent twice with a comma. */
  Headers: { 'idempotency-key'?: string };
}

interface ById {
  Params: { id: string };
}

interface ByIdAndDevice {
  Params: { id: string; deviceId: string };
}

export const openBody = z.strictObject({ device_id: z.string('must be the id of a device') });

export function addNotificationRoutes(server: FastifyInstance, deps: NotificationDeps): void {
  const { db, queue, clock, observe, authentication, spans } = deps;
  const mayRead = { onRequest: authentication.require('read') };
  const mayWrite = { onRequest: authentication.require('write') };
  const mayRegister = { onRequest: authentication.require('register') };

  for (const version of ['v3', 'v5', 'v6']) {
    server.post<Create>(`/${version}/notifications`, mayWrite, async (request, reply) => {
      const { appId, android } = authentication.callerOf(request);
      const { 'idempotency-key': idempotencyKey } = request.headers;
      const body = requiredBody(request);
      const create = { appId, android, body, idempotencyKey, requestId: request.id };
      const span = spans.of(request);
      const created = await createNotification(db, create, { clock, queue, observe, span });
      return reply.code(201).send(created);
    });
  }

  server.get('/v6/notifications', { ...mayRead, config: { query: listQuery } }, async (request) =>
    listNotifications(db, authentication.callerOf(request).appId, request.query, clock),
  );

  server.get<ById>('/v6/notifications/:id', mayRead, async (request) =>
    readNotification(db, authentication.callerOf(request).appId, request.params.id, clock),
  );

  server.post<ById>('/v6/notifications/:id/cancel', mayWrite, async (request) => {
    const { appId } = authentication.callerOf(request);
    return cancelNotification(db, appId, request.params.id, { clock, observe });
  });

  server.get<ByIdAndDevice>('/v6/notifications/:id/deliveries/:deviceId', mayRead, async (request) => {
    const { appId } = authentication.callerOf(request);
    const notificationId = idFrom(request.params.id, 'notification');
    const deviceId = idFrom(request.params.deviceId, 'device');
    return readDelivery(db, { appId, notificationId, deviceId, now: clock() });
  });

  server.post<ById>('/v6/notifications/:id/opens', mayRegister, async (request, reply) => {
    const { appId } = authentication.callerOf(request);
    const { device_id: deviceId } = parseBy(openBody, requiredBody(request));
    await recordOpen(db, appId, request.params.id, deviceId, clock);
    return reply.code(202).send({});
  });
}
