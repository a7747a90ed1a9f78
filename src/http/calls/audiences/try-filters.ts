/** Calls for filters that are not stored: they count the devices, also of each filter, show a few, and explain one. */
import { noSuchDevice } from '../../../devices/device-errors.ts';
import { firstThatFit, readDevices } from '../../../devices/read.ts';
import { fingerprintOf } from '../../../filters/canonical.ts';
import { dependsOnNow } from '../../../filters/depends-on-now.ts';
import type { Filter } from '../../../filters/filter.ts';
import { stringifyJson } from '../../../json/lossless.ts';
import { countEachFilter } from '../../../targeting/count-each-filter.ts';
import { canonicalEach, explainDevice } from '../../../targeting/explain-device.ts';
import { sampleDevices } from '../../../targeting/matching-devices.ts';
import type { CallDeps } from '../../call-deps.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { abortOnDisconnect } from '../../connection.ts';
import { countOfEach, device, DEVICE_ID, explanation, filters } from '../samples.ts';
import { countAudienceBody, explainFiltersBody, parseCount, parseExplain } from './body.ts';
import { count } from './counting.ts';
import {
  countJson,
  countOfEachJson,
  countReply,
  deviceSampleReply,
  explanationJson,
  explanationReply,
  filterCountsReply,
} from './reply.ts';

/** As many as fit on a screen. */
const SAMPLE_DEVICES = 10;

const call = callsWithKey('Audiences');

export const tryFiltersCalls = [
  call({
    id: 'countAudience',
    address: 'POST /v6/audiences/count',
    repeat: 'reads',
    readsReplica: true,
    summary: 'Count the devices that filters select',
    description: 'Stores nothing.',
    scopes: ['read'],
    body: { schema: countAudienceBody, example: { filters } },
    replies: [jsonReply(200, 'The count.', countReply, { device_count: 1, reachable_count: 1 })],
    parse: parseCount,
    handle: async (deps, { caller: { appId }, body: sent, reply }) => {
      const counted = await count(deps, appId, sent, { signal: abortOnDisconnect(reply) });
      return countJson(counted.count);
    },
  }),
  call({
    id: 'countEachFilter',
    address: 'POST /v6/audiences/count/filters',
    repeat: 'reads',
    readsReplica: true,
    summary: 'Count each of several filters',
    description:
      'For each filter, in the order of the request: the devices that it selects alone, and the ' +
      'devices that it and all filters before it select. All counts are from one moment. The total ' +
      'comes first; counts that would take more than 5 further seconds are null. Stores nothing.',
    scopes: ['read'],
    body: { schema: countAudienceBody, example: { filters } },
    replies: [jsonReply(200, 'The counts.', filterCountsReply, countOfEach)],
    parse: parseCount,
    handle: async (deps, { caller: { appId }, body: sent, reply }) => {
      const key = `${appId} each ${fingerprintOf(stringifyJson(canonicalEach(sent))).toString('hex')}`;
      const { body } = await deps.countCallers.wait(key, abortOnDisconnect(reply), async (signal) =>
        deps.countCache.get(key, async (inBackground) =>
          countEach(deps, appId, sent, inBackground ? { inBackground } : { signal }),
        ),
      );
      return reply.type('application/json').send(body);
    },
  }),
  call({
    id: 'sampleDevices',
    address: 'POST /v6/audiences/sample',
    repeat: 'reads',
    readsReplica: true,
    summary: 'Show a few devices that filters select',
    description: 'The first 10 by id, which is random, or fewer if they take more than 2 MB. Stores nothing.',
    scopes: ['read'],
    body: { schema: countAudienceBody, example: { filters } },
    replies: [jsonReply(200, 'The devices.', deviceSampleReply, { devices: [device] })],
    parse: parseCount,
    handle: async ({ db, clock, countLimiter }, { caller: { appId }, body: sent, reply }) => {
      const signal = abortOnDisconnect(reply);
      const request = { appId, filters: sent, now: clock(), signal };
      const found = await countLimiter.run(async () => sampleDevices(db, request, SAMPLE_DEVICES), signal);
      const ids = await firstThatFit(
        db,
        appId,
        found.map(({ id }) => id),
      );
      return { devices: await readDevices(db, appId, ids) };
    },
  }),
  call({
    id: 'explainFilters',
    address: 'POST /v6/audiences/explain',
    repeat: 'reads',
    summary: 'Explain why filters select a device or not',
    scopes: ['read'],
    body: { schema: explainFiltersBody, example: { filters, device_id: DEVICE_ID } },
    replies: [
      jsonReply(
        200,
        'The result of each filter, in the order of the request.',
        explanationReply,
        explanation,
      ),
    ],
    errors: ['not_found'],
    parse: parseExplain,
    handle: async ({ db, clock }, { caller: { appId }, body: { filters: sent, deviceId } }) => {
      const explained = await explainDevice(db, { appId, filters: sent, now: clock(), deviceId });
      if (explained === undefined) throw noSuchDevice();
      return explanationJson(explained);
    },
  }),
];

async function countEach(
  { db, clock, countLimiter }: CallDeps,
  appId: string,
  sent: readonly Filter[],
  options: { inBackground?: boolean; signal?: AbortSignal },
) {
  return countLimiter.run(async () => {
    const now = clock();
    const beganMs = performance.now();
    const counted = await countEachFilter(db, { appId, filters: sent, now, ...options });
    const countMs = performance.now() - beganMs;
    const body = stringifyJson(countOfEachJson(sent, counted, now));
    return { count: counted.total, countMs, isTimeless: !dependsOnNow(sent), body };
  }, options.signal);
}
