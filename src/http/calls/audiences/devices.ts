/** The devices of a stored audience: list them, explain why a device is in it or not. */
import { noSuchDevice } from '../../../devices/device-errors.ts';
import { firstThatFit, readDevices } from '../../../devices/read.ts';
import { explainDevice } from '../../../targeting/explain-device.ts';
import { readMatchingDevices } from '../../../targeting/matching-devices.ts';
import { FIRST_UUID, LAST_UUID } from '../../../uuid.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { device, deviceCursor, explanation } from '../samples.ts';
import { cursorAfter, cursorQuery } from './body.ts';
import { countedAudience, requireAudience } from './counting.ts';
import { audienceDevicesReply, explanationJson, explanationReply } from './reply.ts';

const DEVICES_PER_PAGE = 100;

const call = callsWithKey('Audiences');

export const audienceDeviceCalls = [
  call({
    id: 'listAudienceDevices',
    address: 'GET /v6/audiences/:audience_id/devices',
    readsReplica: true,
    summary: 'List the devices of an audience',
    description:
      '100 per page, or fewer if they take more than 2 MB, sorted by id. Continue with `meta.cursor` until `devices` is empty; a device that stays ' +
      'in the audience is neither skipped nor repeated.',
    scopes: ['read'],
    query: { schema: cursorQuery, example: { cursor: deviceCursor } },
    replies: [
      jsonReply(200, 'A page of devices.', audienceDevicesReply, {
        meta: { cursor: deviceCursor, total: 1 },
        devices: [device],
      }),
    ],
    handle: async (deps, { caller: { appId }, params, query: { cursor: afterId } }) => {
      const { db, clock, countLimiter } = deps;
      const { id, filters: selecting } = await requireAudience(deps, appId, params.audience_id);
      const range = { firstId: FIRST_UUID, lastId: LAST_UUID, afterId, limit: DEVICES_PER_PAGE };
      // If only a few of many devices match, reading a page takes as long as a count.
      const page = await countLimiter.run(async () =>
        readMatchingDevices(db, { appId, filters: selecting, now: clock(), ...range }),
      );
      const ids = await firstThatFit(
        db,
        appId,
        page.map((found) => found.id),
      );
      const [devices, counted] = await Promise.all([
        readDevices(db, appId, ids),
        countedAudience(deps, appId, id),
      ]);
      return { meta: { cursor: cursorAfter(ids.at(-1)), total: counted.count.devices }, devices };
    },
  }),
  call({
    id: 'explainDevice',
    address: 'GET /v6/audiences/:audience_id/devices/:device_id',
    summary: 'Explain why a device is in an audience or not',
    scopes: ['read'],
    replies: [
      jsonReply(
        200,
        'The result of each filter, in the order of the audience.',
        explanationReply,
        explanation,
      ),
    ],
    handle: async (deps, { caller: { appId }, params: { audience_id: id, device_id: deviceId } }) => {
      const stored = await requireAudience(deps, appId, id);
      const request = { appId, filters: stored.filters, now: deps.clock(), deviceId };
      const explained = await explainDevice(deps.db, request);
      if (explained === undefined) throw noSuchDevice();
      return explanationJson(explained);
    },
  }),
];
