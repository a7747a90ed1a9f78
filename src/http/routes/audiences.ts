/** Audiences: read one with its count, list them, make a named one, delete one, count without storing, go through devices. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import {
  type Audience,
  createNamedAudience,
  listAudiences,
  readAudience,
} from '../../audiences/audience-store.ts';
import { countDevices, type CountRequest } from '../../targeting/count-devices.ts';
import type { CountLimiter } from '../../audiences/count-limiter.ts';
import { deleteAudience } from '../../audiences/delete.ts';
import { explainDevice } from '../../targeting/explain-device.ts';
import { dependsOnNow } from '../../filters/depends-on-now.ts';
import type { Filter } from '../../filters/filter.ts';
import { readMatchingDevices } from '../../targeting/matching-devices.ts';
import type { CountCache, CountedAudience } from '../../audiences/count-cache.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { readDevices } from '../../devices/read.ts';
import { noSuchDevice } from '../../devices/refusals.ts';
import { ApiError } from '../../errors.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { cursorOf } from '../../page-cursor.ts';
import { FIRST_UUID, LAST_UUID } from '../../uuid.ts';
import {
  cursorAfter,
  cursorQuery,
  listQuery,
  parseCount,
  parseCursor,
  parseListQuery,
  parseNamedAudience,
} from '../audience-body.ts';
import { audienceJson, countJson, summaryJson } from '../audience-reply.ts';
import type { Authentication } from '../authenticate.ts';
import { requiredBody } from '../body.ts';
import { hangUpOf } from '../client-disconnect.ts';

interface AudienceDeps {
  db: Kysely<Database>;
  clock: Clock;
  authentication: Authentication;
  countCache: CountCache;
  countLimiter: CountLimiter;
}

interface ById {
  Params: { id: string };
}

interface ByIdAndDevice {
  Params: { id: string; deviceId: string };
}

const DEVICES_A_PAGE = 100;

/** The key of the count cache. */
function keyOf(appId: string, id: string): string {
  return `${appId} ${id}`;
}

export function addAudienceRoutes(
  server: FastifyInstance,
  { db, clock, authentication, countCache, countLimiter }: AudienceDeps,
): void {
  const requireAudience = async (appId: string, id: string): Promise<Audience> => {
    const audience = await readAudience(db, appId, id, clock);
    if (audience === undefined) throw new ApiError('not_found', { message: 'There is no such audience.' });
    return audience;
  };
  const count = async (
    appId: string,
    filters: readonly Filter[],
    options: Pick<CountRequest, 'inBackground' | 'signal'>,
  ): Promise<Pick<CountedAudience, 'count' | 'countMs'>> =>
    countLimiter.run(async () => {
      const beganMs = performance.now();
      const devices = await countDevices(db, { appId, filters, now: clock(), ...options });
      return { count: devices, countMs: performance.now() - beganMs };
    });
  const countedAudience = async (appId: string, id: string): Promise<CountedAudience> =>
    countCache.get(keyOf(appId, id), async (inBackground) => {
      const audience = await requireAudience(appId, id);
      const counted = await count(appId, audience.filters, { inBackground });
      const body = stringifyJson({ audience: audienceJson(audience, counted.count) });
      return { ...counted, body, isTimeless: !dependsOnNow(audience.filters) };
    });
  const mayRead = { onRequest: authentication.require('read') };
  const mayWrite = { onRequest: authentication.require('write') };

  server.get('/v6/audiences', { ...mayRead, config: { query: listQuery } }, async (request) => {
    const { appId } = authentication.callerOf(request);
    const { per: perPage, page, cursor: after } = parseListQuery(request.query);
    const { audiences, next } = await listAudiences(db, { appId, perPage, page, after });
    return {
      audiences: audiences.map(summaryJson),
      meta: { cursor: next === undefined ? null : cursorOf(next) },
    };
  });

  server.get<ById>('/v6/audiences/:id', mayRead, async (request, reply) => {
    const { appId } = authentication.callerOf(request);
    const { body } = await countedAudience(appId, request.params.id);
    return reply.type('application/json').send(body);
  });

  server.delete<ById>('/v6/audiences/:id', mayWrite, async (request, reply) => {
    const { appId } = authentication.callerOf(request);
    const { id } = request.params;
    await deleteAudience(db, appId, id, clock);
    countCache.forget(keyOf(appId, id));
    return reply.code(204).send();
  });

  server.get<ById>(
    '/v6/audiences/:id/devices',
    { ...mayRead, config: { query: cursorQuery } },
    async (request) => {
      const { appId } = authentication.callerOf(request);
      const { id, filters } = await requireAudience(appId, request.params.id);
      const afterId = parseCursor(request.query);
      const range = { firstId: FIRST_UUID, lastId: LAST_UUID, afterId, limit: DEVICES_A_PAGE };
      // Where few of many devices match, a page takes as long as a count.
      const page = await countLimiter.run(async () =>
        readMatchingDevices(db, { appId, filters, now: clock(), ...range }),
      );
      const ids = page.map((device) => device.id);
      const [devices, counted] = await Promise.all([readDevices(db, appId, ids), countedAudience(appId, id)]);
      return { meta: { cursor: cursorAfter(ids.at(-1)), total: counted.count.devices }, devices };
    },
  );

  server.get<ByIdAndDevice>('/v6/audiences/:id/devices/:deviceId', mayRead, async (request) => {
    const { appId } = authentication.callerOf(request);
    const { id, deviceId } = request.params;
    const { filters } = await requireAudience(appId, id);
    const answers = await explainDevice(db, { appId, filters, now: clock(), deviceId });
    if (answers === undefined) throw noSuchDevice();
    return {
      matches: answers.every(Boolean),
      filters: filters.map(({ name }, index) => ({ name, matches: answers[index] })),
    };
  });

  server.post('/v6/audiences', mayWrite, async (request, reply) => {
    const { appId } = authentication.callerOf(request);
    const { name, filters } = parseNamedAudience(requiredBody(request));
    // Counted first: a count that takes too long is a refusal, and a refusal stores nothing.
    const counted = await count(appId, filters, { signal: hangUpOf(reply) });
    const audience = await createNamedAudience(db, { appId, name, filters, clock });
    return reply.code(201).send({ audience: audienceJson(audience, counted.count) });
  });

  server.post('/v6/audiences/count', mayRead, async (request, reply) => {
    const { appId } = authentication.callerOf(request);
    const filters = parseCount(requiredBody(request));
    const counted = await count(appId, filters, { signal: hangUpOf(reply) });
    return countJson(counted.count);
  });
}
