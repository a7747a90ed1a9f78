/** Devices: register, read, update, erase, and the events that happened on one. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { TokenKeys } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { parseRegistrationBody, parseUpdateBody } from '../../devices/device-schema.ts';
import { eraseDevice } from '../../devices/erase.ts';
import { type GeoIp, whereaboutsFor } from '../../devices/geoip.ts';
import { parseEventsBody, recordDeviceEvents } from '../../devices/events.ts';
import { readDevice } from '../../devices/read.ts';
import { registerDevice } from '../../devices/register.ts';
import { updateDevice } from '../../devices/update.ts';
import type { Authentication } from '../authenticate.ts';
import { requiredBody } from '../body.ts';
import { tellDevice } from '../device-reply.ts';
import { eventSourceOf, refuseForeignSources } from '../event-source.ts';

interface DeviceDeps {
  db: Kysely<Database>;
  tokenKeys: TokenKeys;
  clock: Clock;
  authentication: Authentication;
  /** Undefined: no registration is located. */
  geoip: GeoIp | undefined;
}

interface ById {
  Params: { id: string };
}

export function addDeviceRoutes(
  server: FastifyInstance,
  { db, tokenKeys, clock, authentication, geoip }: DeviceDeps,
): void {
  const mayRead = { onRequest: authentication.require('read') };
  const mayRegister = { onRequest: authentication.require('register') };
  const mayErase = { onRequest: authentication.require('admin') };
  const mayReport = { onRequest: authentication.require('register', 'write') };

  server.post('/v6/devices', mayRegister, async (request, reply) => {
    const caller = authentication.callerOf(request);
    const registration = parseRegistrationBody(requiredBody(request));
    // Of an app's own key the address is the device's; that of a back end would be where its servers are.
    const isApp = caller.scopes.every((scope) => scope === 'register');
    const whereabouts = geoip && isApp ? whereaboutsFor(geoip, request.ip, registration) : undefined;
    const { device, created } = await registerDevice(
      db,
      tokenKeys,
      caller.appId,
      registration,
      clock,
      whereabouts,
    );
    return reply.code(created ? 201 : 200).send(tellDevice(caller, device, registration));
  });

  server.get<ById>('/v6/devices/:id', mayRead, async (request) => {
    const { appId } = authentication.callerOf(request);
    return { device: await readDevice(db, appId, request.params.id) };
  });

  server.put<ById>('/v6/devices/:id', mayRegister, async (request) => {
    const caller = authentication.callerOf(request);
    const update = parseUpdateBody(requiredBody(request));
    const device = await updateDevice(db, tokenKeys, caller.appId, request.params.id, update, clock);
    return tellDevice(caller, device, update);
  });

  server.delete<ById>('/v6/devices/:id', mayErase, async (request, reply) => {
    const { appId } = authentication.callerOf(request);
    await eraseDevice(db, appId, request.params.id, clock);
    return reply.code(204).send();
  });

  server.post<ById>('/v6/devices/:id/events', mayReport, async (request, reply) => {
    const caller = authentication.callerOf(request);
    const events = parseEventsBody(requiredBody(request));
    refuseForeignSources(caller, events);
    const options = { defaultSource: eventSourceOf(caller) };
    await recordDeviceEvents(db, caller.appId, request.params.id, events, options, clock);
    return reply.code(202).send({});
  });
}
