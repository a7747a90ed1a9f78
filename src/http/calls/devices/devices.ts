/** Devices: register, read, update, erase, and report events. */
import { z } from 'zod';
import {
  type DeviceRegistration,
  type DeviceUpdate,
  parseUpdateBody,
  registrationBody,
  updateBody,
} from '../../../devices/device-schema.ts';
import { hostFault, type WebPushHosts } from '../../../gateways/web-push/hosts.ts';
import { invalidRequest } from '../../../api/errors.ts';
import { eraseDevice } from '../../../devices/erase.ts';
import { eventsBody, parseEventsBody, recordDeviceEvents } from '../../../devices/events/record-events.ts';
import { locationFromAddress } from '../../../devices/address/location-from-address.ts';
import { withProvenUser } from '../../../devices/proof/proven-user.ts';
import { readDevice } from '../../../devices/read.ts';
import { readRegistrationBody } from '../../../devices/understand.ts';
import { updateDevice } from '../../../devices/update.ts';
import { deviceReply } from '../../../devices/device.ts';
import { nothing } from '../../../api/reply.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { redactDevice, redactedDeviceReply, withIgnored } from './reply.ts';
import { eventSourceOf, refuseForeignSources } from '../event-source.ts';
import { device, deviceEvents, registration } from '../samples.ts';

/** @throws {ApiError} `invalid_request` if the endpoint of a subscription is on no push service */
function refuseForeignHost(
  { push_token: endpoint, ...sent }: DeviceRegistration | DeviceUpdate,
  hosts: WebPushHosts,
): void {
  if (!('subscription_keys' in sent) || typeof endpoint !== 'string') return;
  const message = hostFault(endpoint, hosts);
  if (message !== undefined) throw invalidRequest([{ path: 'device.subscription.endpoint', message }]);
}

const oneDeviceReply = z.strictObject({ device: deviceReply }).meta({ id: 'OneDevice' });

const call = callsWithKey('Devices');

export const deviceCalls = [
  call({
    id: 'registerDevice',
    address: 'POST /v6/devices',
    repeat: 'idempotent',
    summary: 'Register a device',
    description:
      'An app may call this at every start, with an embedded key that has only `register`. Omitted ' +
      'attributes of a known device keep their values; `null` clears them. A call that changes ' +
      'nothing writes nothing, but updates `registered_at` once per day. A value that breaks a ' +
      'rule is left out and named in `ignored`, as if it had been omitted; only platform, push ' +
      'token, `user_id`, `development` and unknown names are refused.',
    scopes: ['register'],
    recordedAs: 'device.registered',
    body: { schema: registrationBody, example: registration },
    replies: [
      jsonReply(201, 'The device is new.', redactedDeviceReply, { device }),
      jsonReply(
        200,
        'The device was known by its `id`, its current or an earlier push token, or `previous_push_token`; it is updated and keeps its id.',
        redactedDeviceReply,
        { device },
      ),
    ],
    errors: ['device_erased', 'user_not_verified'],
    parse: readRegistrationBody,
    handle: async ({ registrations, geoip, userTokens, webPushHosts }, { caller, body, request, reply }) => {
      const { registration: asked, ignored } = body;
      refuseForeignHost(asked, webPushHosts);
      const { sent, isUserVerified } = await withProvenUser(userTokens, caller, asked);
      // With an app's embedded key, the caller is the device itself. A back end's address is where its servers are.
      const isApp = caller.scopes.every((scope) => scope === 'register');
      const addressLocation = geoip && isApp ? locationFromAddress(geoip, request.ip, sent) : undefined;
      const registered = await registrations.register(caller.appId, sent, {
        addressLocation,
        isUserVerified,
      });
      if (!registered.created) void reply.code(200);
      return withIgnored(redactDevice(caller, registered.device, asked), [
        ...ignored,
        ...(registered.ignored ?? []),
      ]);
    },
  }),
  call({
    id: 'readDevice',
    address: 'GET /v6/devices/:device_id',
    summary: 'Read a device',
    scopes: ['read'],
    replies: [jsonReply(200, 'The device.', oneDeviceReply, { device })],
    handle: async ({ db }, { caller, params }) => ({
      device: await readDevice(db, caller.appId, params.device_id),
    }),
  }),
  call({
    id: 'updateDevice',
    address: 'PUT /v6/devices/:device_id',
    summary: 'Update a device',
    description:
      'Omitted attributes keep their values; `null` clears them. A push token of another device is moved to this one.',
    scopes: ['register'],
    body: { schema: updateBody, example: { device: { app_version: '2.11', tags: ['news'] } } },
    replies: [
      jsonReply(200, 'The updated device.', redactedDeviceReply, {
        device: { ...device, app_version: '2.11', tags: ['news'] },
      }),
    ],
    errors: ['device_erased', 'user_not_verified'],
    parse: parseUpdateBody,
    handle: async (
      { db, tokenKeys, clock, userTokens, webPushHosts },
      { caller, params, body: update, author },
    ) => {
      refuseForeignHost(update, webPushHosts);
      const { sent, isUserVerified } = await withProvenUser(userTokens, caller, update);
      const updated = await updateDevice(
        db,
        tokenKeys,
        caller.appId,
        params.device_id,
        { ...sent, isUserVerified },
        clock,
        // Apps update their devices all the time; the audit log has only what people change.
        caller.by.kind === 'user' ? author() : undefined,
      );
      return redactDevice(caller, updated, update);
    },
  }),
  call({
    id: 'eraseDevice',
    address: 'DELETE /v6/devices/:device_id',
    summary: 'Erase a device and all of its data',
    description: 'Its id stays erased: later updates and events for it are refused.',
    scopes: ['admin'],
    replies: [{ status: 204, description: 'Erased by this call or earlier.' }],
    handle: async ({ db, clock }, { caller, params, author }) =>
      eraseDevice(db, caller.appId, params.device_id, clock, author()),
  }),
  call({
    id: 'reportDeviceEvents',
    address: 'POST /v6/devices/:device_id/events',
    summary: 'Report events of a device',
    description:
      'Their dates are at most a day ahead. For each event name, the count and the first and last ' +
      'time are kept; at most 1,000 names per device.',
    scopes: ['register', 'write'],
    usersNeed: 'admin',
    recordedAs: 'device.events_reported',
    body: { schema: eventsBody, example: deviceEvents },
    replies: [jsonReply(202, 'Stored.', nothing, {})],
    errors: ['device_erased'],
    parse: parseEventsBody,
    handle: async ({ db, clock }, { caller, params, body: events }) => {
      refuseForeignSources(caller, events);
      const options = { defaultSource: eventSourceOf(caller) };
      await recordDeviceEvents(db, caller.appId, params.device_id, events, options, clock);
      return {};
    },
  }),
];
