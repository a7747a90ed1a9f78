/** Audiences: list, read with the count, create by name, delete, count without storing, list devices, explain a device. */
import type { Kysely } from 'kysely';
import {
  type Audience,
  createNamedAudience,
  listAudiences,
  readAudience,
} from '../../audiences/audience-store.ts';
import type { CountCache, CountedAudience } from '../../audiences/count-cache.ts';
import type { CountLimiter } from '../../audiences/count-limiter.ts';
import { deleteAudience } from '../../audiences/delete.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { readDevices } from '../../devices/read.ts';
import { noSuchDevice } from '../../devices/device-errors.ts';
import { ApiError } from '../../errors.ts';
import { dependsOnNow } from '../../filters/depends-on-now.ts';
import type { Filter } from '../../filters/filter.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { cursorOf } from '../../page-cursor.ts';
import { countDevices, type CountRequest } from '../../targeting/count-devices.ts';
import { explainDevice } from '../../targeting/explain-device.ts';
import { readMatchingDevices } from '../../targeting/matching-devices.ts';
import { FIRST_UUID, LAST_UUID } from '../../uuid.ts';
import { callsWithKey } from '../call.ts';
import { abortOnDisconnect } from '../connection.ts';
import { cursorAfter, cursorQuery, listQuery, parseCount, parseNamedAudience } from './audience-body.ts';
import { audienceJson, countJson, summaryJson } from './audience-reply.ts';
import { audience, audienceCursor, audienceSummary, device, deviceCursor, filters } from './samples.ts';

interface AudienceDeps {
  db: Kysely<Database>;
  clock: Clock;
  countCache: CountCache;
  countLimiter: CountLimiter;
}

const DEVICES_PER_PAGE = 100;

const call = callsWithKey<AudienceDeps>('Audiences');

export const audienceCalls = [
  call({
    id: 'listAudiences',
    method: 'GET',
    path: '/v6/audiences',
    summary: 'List audiences, oldest first',
    description: 'Continue with `meta.cursor` until it is null.',
    scopes: ['read'],
    query: { schema: listQuery, example: { per: 10, cursor: audienceCursor, page: 1 } },
    replies: [
      {
        status: 200,
        description: 'A page of audiences, without counts.',
        schema: 'AudienceList',
        example: { audiences: [audienceSummary], meta: { cursor: null } },
      },
    ],
    handle: async ({ db }, { caller: { appId }, query: { per: perPage, page, cursor: after } }) => {
      const { audiences, next } = await listAudiences(db, { appId, perPage, page, after });
      return {
        audiences: audiences.map(summaryJson),
        meta: { cursor: next === undefined ? null : cursorOf(next) },
      };
    },
  }),
  call({
    id: 'readAudience',
    method: 'GET',
    path: '/v6/audiences/:audience_id',
    summary: 'Read an audience with its device count',
    scopes: ['read'],
    replies: [{ status: 200, description: 'The audience.', schema: 'Audience', example: { audience } }],
    handle: async (deps, { caller: { appId }, params, reply }) => {
      const { body } = await countedAudience(deps, appId, params.audience_id);
      return reply.type('application/json').send(body);
    },
  }),
  call({
    id: 'createAudience',
    method: 'POST',
    path: '/v6/audiences',
    summary: 'Create a named audience',
    description: 'Always creates a new audience, even if another has the same filters or the same name.',
    scopes: ['write'],
    body: { schema: 'CreateAudience', example: { audience: { name: audience.name, filters } } },
    replies: [{ status: 201, description: 'The new audience.', schema: 'Audience', example: { audience } }],
    parse: parseNamedAudience,
    handle: async (deps, { caller: { appId }, body: named, reply }) => {
      // Counts first: if the count takes too long, the call is refused, and a refused call must store nothing.
      const counted = await count(deps, appId, named.filters, { signal: abortOnDisconnect(reply) });
      const created = await createNamedAudience(deps.db, { appId, ...named, clock: deps.clock });
      return { audience: audienceJson(created, counted.count) };
    },
  }),
  call({
    id: 'deleteAudience',
    method: 'DELETE',
    path: '/v6/audiences/:audience_id',
    summary: 'Delete an audience',
    description:
      'Notifications that were sent to it are kept. The same filters create a new audience with a new id.',
    scopes: ['write'],
    replies: [{ status: 204, description: 'Deleted.' }],
    errors: ['audience_in_use', 'audience_built_in'],
    handle: async ({ db, clock, countCache }, { caller: { appId }, params: { audience_id: id } }) => {
      await deleteAudience(db, appId, id, clock);
      countCache.forget(cacheKey(appId, id));
    },
  }),
  call({
    id: 'countAudience',
    method: 'POST',
    path: '/v6/audiences/count',
    summary: 'Count the devices that filters select',
    description: 'Stores nothing.',
    scopes: ['read'],
    body: { schema: 'CountAudience', example: { filters } },
    replies: [
      {
        status: 200,
        description: 'The count.',
        schema: 'DeviceCount',
        example: { device_count: 1, reachable_count: 1 },
      },
    ],
    parse: parseCount,
    handle: async (deps, { caller: { appId }, body: sent, reply }) => {
      const counted = await count(deps, appId, sent, { signal: abortOnDisconnect(reply) });
      return countJson(counted.count);
    },
  }),
  call({
    id: 'listAudienceDevices',
    method: 'GET',
    path: '/v6/audiences/:audience_id/devices',
    summary: 'List the devices of an audience',
    description:
      '100 per page, sorted by id. Continue with `meta.cursor` until `devices` is empty; a device that stays ' +
      'in the audience is neither skipped nor repeated.',
    scopes: ['read'],
    query: { schema: cursorQuery, example: { cursor: deviceCursor } },
    replies: [
      {
        status: 200,
        description: 'A page of devices.',
        schema: 'AudienceDevices',
        example: { meta: { cursor: deviceCursor, total: 1 }, devices: [device] },
      },
    ],
    handle: async (deps, { caller: { appId }, params, query: { cursor: afterId } }) => {
      const { db, clock, countLimiter } = deps;
      const { id, filters: selecting } = await requireAudience(deps, appId, params.audience_id);
      const range = { firstId: FIRST_UUID, lastId: LAST_UUID, afterId, limit: DEVICES_PER_PAGE };
      // If only a few of many devices match, reading a page takes as long as a count.
      const page = await countLimiter.run(async () =>
        readMatchingDevices(db, { appId, filters: selecting, now: clock(), ...range }),
      );
      const ids = page.map((found) => found.id);
      const [devices, counted] = await Promise.all([
        readDevices(db, appId, ids),
        countedAudience(deps, appId, id),
      ]);
      return { meta: { cursor: cursorAfter(ids.at(-1)), total: counted.count.devices }, devices };
    },
  }),
  call({
    id: 'explainDevice',
    method: 'GET',
    path: '/v6/audiences/:audience_id/devices/:device_id',
    summary: 'Explain why a device is in an audience or not',
    scopes: ['read'],
    replies: [
      {
        status: 200,
        description: 'The result of each filter, in canonical order.',
        schema: 'Explanation',
        example: { matches: true, filters: audience.filters.map(({ name }) => ({ name, matches: true })) },
      },
    ],
    handle: async (deps, { caller: { appId }, params: { audience_id: id, device_id: deviceId } }) => {
      const stored = await requireAudience(deps, appId, id);
      const request = { appId, filters: stored.filters, now: deps.clock(), deviceId };
      const answers = await explainDevice(deps.db, request);
      if (answers === undefined) throw noSuchDevice();
      return {
        matches: answers.every(Boolean),
        filters: stored.filters.map(({ name }, index) => ({ name, matches: answers[index] })),
      };
    },
  }),
];

async function requireAudience({ db, clock }: AudienceDeps, appId: string, id: string): Promise<Audience> {
  const stored = await readAudience(db, appId, id, clock);
  if (stored === undefined) throw new ApiError('not_found', { message: 'There is no such audience.' });
  return stored;
}

async function count(
  { db, clock, countLimiter }: AudienceDeps,
  appId: string,
  selecting: readonly Filter[],
  options: Pick<CountRequest, 'inBackground' | 'signal'>,
): Promise<Pick<CountedAudience, 'count' | 'countMs'>> {
  return countLimiter.run(async () => {
    const beganMs = performance.now();
    const devices = await countDevices(db, { appId, filters: selecting, now: clock(), ...options });
    return { count: devices, countMs: performance.now() - beganMs };
  });
}

async function countedAudience(deps: AudienceDeps, appId: string, id: string): Promise<CountedAudience> {
  return deps.countCache.get(cacheKey(appId, id), async (inBackground) => {
    const stored = await requireAudience(deps, appId, id);
    const counted = await count(deps, appId, stored.filters, { inBackground });
    const body = stringifyJson({ audience: audienceJson(stored, counted.count) });
    return { ...counted, body, isTimeless: !dependsOnNow(stored.filters) };
  });
}

function cacheKey(appId: string, id: string): string {
  return `${appId} ${id}`;
}
