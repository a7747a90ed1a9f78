/** The import of devices: the one call whose body is never held in memory and may take its time to arrive. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import type { TokenKeys } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { importDevices } from '../../devices/import/import.ts';
import { ApiError } from '../../errors.ts';
import type { Authentication } from '../authenticate.ts';
import { refuseEncoded } from '../body.ts';
import { withoutHurry } from '../cut-connection.ts';
import { toApiError } from '../error-reply.ts';

interface DeviceImportDeps {
  db: Kysely<Database>;
  tokenKeys: TokenKeys;
  clock: Clock;
  authentication: Authentication;
}

const NDJSON = 'application/x-ndjson';

export function addDeviceImportRoute(
  server: FastifyInstance,
  { db, tokenKeys, clock, authentication }: DeviceImportDeps,
): void {
  // A scope of its own: nowhere else may a body pass unread.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    const onRequest = [authentication.require('admin'), requireNdjson];
    scope.post('/v6/devices/import', { onRequest }, async (request) => {
      const { appId } = authentication.callerOf(request);
      return withoutHurry(request.raw.socket, async () => {
        try {
          return await importDevices(db, tokenKeys, appId, bodyOf(request), clock);
        } catch (error) {
          request.raw.resume(); // what is left of the body would stand before the reply
          throw brokenOff(error);
        }
      });
    });
  });
}

async function requireNdjson(request: FastifyRequest): Promise<void> {
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
  if (mediaType.trim().toLowerCase() !== NDJSON) {
    throw new ApiError('unsupported_media_type', {
      message: `The body must be sent as "Content-Type: ${NDJSON}".`,
    });
  }
  refuseEncoded(request);
}

/** The body as it arrives. It is left open where the import fails, so that there can be a reply. */
async function* bodyOf(request: FastifyRequest): AsyncGenerator<Uint8Array, void> {
  try {
    yield* request.raw.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw new ApiError('invalid_json', { message: 'The body ended early.', cause: error });
  }
}

/** Unlike other calls, an import may be half done when something fails. */
function brokenOff(error: unknown): ApiError {
  const told = toApiError(error);
  if (told.code !== 'unavailable') return told;
  return new ApiError('unavailable', {
    message: 'The import broke off; the lines that were stored stay, and all may be sent again.',
    retryAfterSeconds: told.retryAfterSeconds ?? 1,
    cause: told.cause,
  });
}
