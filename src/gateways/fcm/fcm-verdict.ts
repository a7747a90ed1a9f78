import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Answered } from '@carillon/http2-client';
import { isWorthAnotherTry, parsedBody, reasonText } from '../transport-verdict.ts';
import { ACCEPTED, type Verdict } from '../gateway.ts';
import { statusReason } from '../reason.ts';
import { retryAfterMs } from '../retry-after.ts';

/** The wait for a project that has used up its quota, if Google's answer names none. */
const QUOTA_WAIT_MS = 60_000;

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/**
 * FCM's sentence for a malformed token when its answer names no field, from production reports
 * (firebase-admin-java#1064). The sentence may call the token an installation id.
 */
const BAD_TOKEN =
  /^the (?:registration token|firebase installation id|installation id|fid)\b.* is not (?:a )?valid\b/i;

const RECIPIENT_FIELDS: ReadonlySet<string> = new Set(['message.token', 'message.fid']);

const detail = z.object({
  '@type': z.string(),
  errorCode: reasonText.optional().catch(undefined),
  fieldViolations: z
    .array(z.object({ field: z.string() }).catch({ field: '' }))
    .catch([])
    .default([]),
});
const refusal = z.object({
  error: z.object({
    status: reasonText.optional().catch(undefined),
    message: z.string().catch('').default(''),
    details: z.array(detail.nullable().catch(null)).catch([]).default([]),
  }),
});
type Refusal = z.infer<typeof refusal>['error'];
const NOTHING: Refusal = { message: '', details: [] };

/**
 * Maps an answer of FCM to the verdict on a push. Never throws, whatever the status and the body. Reads the `errorCode`
 * of the detail `FcmError`, otherwise the `status`, otherwise the HTTP status; details may be missing, and a 502 may be
 * HTML. Source: Google, "FCM error codes" and "ErrorCode" of the v1 reference.
 */
export function fcmVerdict(answered: Answered, clock: Clock): Verdict {
  const { status } = answered;
  if (status === 200) return ACCEPTED;
  const error = parsedBody(refusal, answered.body)?.error ?? NOTHING;
  const fcmError = error.details.find((item) => item?.['@type'] === FCM_ERROR);
  const reason = fcmError?.errorCode ?? error.status ?? statusReason(status);
  // FCM itself never saw the message, so this says nothing about the token.
  if (status === 404 && fcmError === undefined)
    return { kind: 'credentials_refused', reason, detail: `Google finds no such project or path: ${reason}` };
  switch (reason) {
    case 'UNREGISTERED':
    case 'NOT_FOUND': // with FcmError, but without its code
    case 'SENDER_ID_MISMATCH': // a token of another project is dead in this one
      return { kind: 'unregistered', reason, deadSince: null };
    case 'INVALID_ARGUMENT':
      if (blamesToken(error)) return { kind: 'unregistered', reason, deadSince: null };
      return { kind: 'rejected', reason };
    case 'THIRD_PARTY_AUTH_ERROR': // of iPhones alone, so it must not stop the pushes to Android
      return { kind: 'rejected', reason };
    case 'UNAUTHENTICATED':
    case 'PERMISSION_DENIED':
      return { kind: 'credentials_refused', reason };
    case 'QUOTA_EXCEEDED':
    case 'RESOURCE_EXHAUSTED':
      return quotaExceeded(reason, answered, clock);
    case 'INTERNAL':
    case 'UNAVAILABLE':
      return serverError(reason, answered, clock);
  }
  if (status === 401 || status === 403) return { kind: 'credentials_refused', reason };
  if (status === 429) return quotaExceeded(reason, answered, clock);
  if (isWorthAnotherTry(status)) return serverError(reason, answered, clock);
  return { kind: 'rejected', reason };
}

function quotaExceeded(reason: string, { headers }: Answered, clock: Clock): Verdict {
  const afterMs = retryAfterMs(headers, clock()) ?? QUOTA_WAIT_MS;
  return { kind: 'retry', reason, afterMs, scope: 'project' };
}

function serverError(reason: string, { headers }: Answered, clock: Clock): Verdict {
  return { kind: 'retry', reason, afterMs: retryAfterMs(headers, clock()), scope: 'device' };
}

/** The named fields decide; the message counts only if no field is named. */
function blamesToken({ details, message }: Refusal): boolean {
  const fields = details.flatMap((item) =>
    item?.['@type'] === BAD_REQUEST ? item.fieldViolations.map(({ field }) => field) : [],
  );
  return fields.length === 0 ? BAD_TOKEN.test(message) : fields.some((field) => RECIPIENT_FIELDS.has(field));
}
