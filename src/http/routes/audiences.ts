/** Audiences: read one with its device count, list, make a named one, count without storing. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import {
  type Audience,
  type AudienceSummary,
  createNamedAudience,
  listAudiences,
  readAudience,
} from '../../audiences/audience-store.ts';
import { canonicalFilters } from '../../audiences/canonical.ts';
import { countDevices } from '../../audiences/count-devices.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError } from '../../errors.ts';
import { parseCount, parseListQuery, parseNamedAudience } from '../audience-body.ts';
import type { Authentication } from '../authenticate.ts';
import { requiredBody } from '../body.ts';

interface AudienceDeps {
  db: Kysely<Database>;
  clock: Clock;
  authentication: Authentication;
}

export function addAudienceRoutes(
  server: FastifyInstance,
  { db, clock, authentication }: AudienceDeps,
): void {
  const mayRead = { onRequest: authentication.require('read') };
  const mayWrite = { onRequest: authentication.require('write') };

  server.get('/v6/audiences', mayRead, async (request) => {
    const { appId } = authentication.callerOf(request);
    const { per: perPage, page } = parseListQuery(request.query);
    const audiences = await listAudiences(db, { appId, perPage, page });
    return { audiences: audiences.map(summaryJson) };
  });

  server.get<{ Params: { id: string } }>('/v6/audiences/:id', mayRead, async (request) => {
    const { appId } = authentication.callerOf(request);
    const audience = await readAudience(db, appId, request.params.id);
    if (audience === undefined) throw new ApiError('not_found');
    const deviceCount = await countDevices(db, { appId, filters: audience.filters, now: clock() });
    return { audience: audienceJson(audience, deviceCount) };
  });

  server.post('/v6/audiences', mayWrite, async (request, reply) => {
    const { appId } = authentication.callerOf(request);
    const { name, filters } = parseNamedAudience(requiredBody(request));
    // Counted first: a count that takes too long is a refusal, and a refusal stores nothing.
    const deviceCount = await countDevices(db, { appId, filters, now: clock() });
    const audience = await createNamedAudience(db, { appId, name, filters, clock });
    return reply.code(201).send({ audience: audienceJson(audience, deviceCount) });
  });

  server.post('/v6/audiences/count', mayRead, async (request) => {
    const { appId } = authentication.callerOf(request);
    const filters = parseCount(requiredBody(request));
    return { device_count: await countDevices(db, { appId, filters, now: clock() }) };
  });
}

function audienceJson(audience: Audience, deviceCount: number): object {
  return {
    ...summaryJson(audience),
    device_count: deviceCount,
    filters: canonicalFilters(audience.filters),
  };
}

/** `test` marks the original service's test audiences; here there are none. */
function summaryJson({ id, name, createdAt, updatedAt }: AudienceSummary): object {
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    test: false,
  };
}
