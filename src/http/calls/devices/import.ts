/** The import of devices: the one call that streams its body and has no time limit. */
import type { FastifyRequest } from 'fastify';
import { localeRule, registration } from '../../../devices/device-schema.ts';
import { importDevices, recordedImport } from '../../../devices/import/import.ts';
import { ApiError } from '../../../api/errors.ts';
import { importReply } from '../../../devices/import/report.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { withoutTimeLimit } from '../../connection.ts';
import { toApiError } from '../../error-reply.ts';

const lines = [
  { platform: 'Android', push_token: 'imported-1', locale: 'de_DE', tags: ['news'] },
  { platform: 'Android', push_token: 'imported-2', locale: 'Deutsch' },
  { platform: 'Android', push_token: 'null' },
];

export const importDevicesCall = callsWithKey('Devices')({
  id: 'importDevices',
  address: 'POST /v6/devices/import',
  repeat: 'idempotent',
  summary: 'Import devices',
  description:
    'Lines are independent: a bad one does not affect the others. A value that breaks a rule is left out of its device, as in a registration. If the import is aborted, lines stored so far are kept, ' +
    'and all may be sent again. 10,000 rejected lines in a row abort it.',
  scopes: ['admin'],
  body: {
    mediaType: 'application/x-ndjson',
    each: registration,
    description: 'One `DeviceRegistration` per line, at most 64 KiB each; any number of lines.',
    example: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  },
  replies: [
    jsonReply(200, 'The result.', importReply, {
      imported: 2,
      updated: 0,
      unchanged: 0,
      rejected_count: 1,
      rejected: [
        {
          line: 3,
          error:
            'push_token is a placeholder and no token: register once the phone has one; for Android send the registration token or the installation id of Firebase',
        },
      ],
      ignored_count: 1,
      ignored: [{ line: 2, path: 'locale', message: localeRule }],
    }),
  ],
  handle: async ({ db, tokenKeys, clock }, { caller, request, author }) =>
    withoutTimeLimit(request.raw.socket, async () => {
      try {
        return await recordedImport(db, caller.appId, author(), clock, async () =>
          importDevices(db, tokenKeys, caller.appId, bodyOf(request), clock),
        );
      } catch (error) {
        request.raw.resume(); // discards the rest of the body, which would block the reply
        throw toAborted(error);
      }
    }),
});

/** Reads the body as it arrives. If the import fails, the socket stays open, so that the reply can be sent. */
async function* bodyOf(request: FastifyRequest): AsyncGenerator<Uint8Array, void> {
  try {
    yield* request.raw.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw new ApiError('invalid_json', { message: 'The body ended early.', cause: error });
  }
}

/** Unlike other calls, an import may have stored a part when it fails, so its error says so. */
function toAborted(error: unknown): ApiError {
  const failure = toApiError(error);
  if (failure.code !== 'unavailable') return failure;
  return new ApiError('unavailable', {
    message: 'The import was aborted; the lines stored so far are kept, and all may be sent again.',
    retryAfterSeconds: failure.retryAfterSeconds ?? 1,
    cause: failure.cause,
  });
}
