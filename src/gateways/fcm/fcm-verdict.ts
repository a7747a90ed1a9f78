import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Answered } from '../../http2-client/answer.ts';
import { isWorthAnotherTry, REASON } from '../transport-verdict.ts';
import { ACCEPTED, type Verdict } from '../gateway.ts';
import { statusReason } from '../reason.ts';
import { retryAfterMs } from '../retry-after.ts';

/** The wait for a project that has used up its quota, if Google's answer names none. */
const QUOTA_WAIT_MS = 60_000;

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

const RECIPIENT_FIELDS: ReadonlySet<string> = new Set(['message.token', 'message.fid']);

const detail = z.object({
  '@type': z.string(),
  errorCode: z.string().regex(REASON).optional().catch(undefined),
  fieldViolations: z
    .array(z.object({ field: z.string() }).catch({ field: '' }))
    .catch([])
    .default([]),
});
const refusal = z.object({
  error: z.object({
    status: z.string().regex(REASON).optional().catch(undefined),
    details: z.array(detail.nullable().catch(null)).catch([]).default([]),
  }),
});
type Refusal = z.infer<typeof refusal>['error'];

/**
 * Maps an answer of FCM to the verdict on a push. Never throws, whatever the status and the body.
 * Reads the `errorCode` of the detail `FcmError`, else the `status`, else the HTTP status; details may be missing, and a
 * 502 may be HTML. Source: Google, "FCM error codes" and "ErrorCode" of the v1 reference.
 */
export function fcmVerdict(answered: Answered, clock: Clock): Verdict {
  const { status } = answered;
  if (status === 200) return ACCEPTED;
  const error = parseRefusal(answered.body);
  const errorCode = error.details.find((item) => item?.['@type'] === FCM_ERROR)?.errorCode;
  const reason = errorCode ?? error.status ?? statusReason(status);
  switch (reason) {
    case 'UNREGISTERED':
    case 'NOT_FOUND':
    case 'SENDER_ID_MISMATCH': // a token of another project is dead in this one
      return { kind: 'unregistered', reason, deadSince: null };
    case 'INVALID_ARGUMENT':
      if (blamesToken(error)) return { kind: 'unregistered', reason, deadSince: null };
      return { kind: 'rejected', reason };
    case 'THIRD_PARTY_AUTH_ERROR':
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
  return {
    kind: 'retry',
    reason,
    afterMs: retryAfterMs(headers, clock()) ?? QUOTA_WAIT_MS,
    scope: 'project',
  };
}

function serverError(reason: string, { headers }: Answered, clock: Clock): Verdict {
  return { kind: 'retry', reason, afterMs: retryAfterMs(headers, clock()), scope: 'device' };
}

function blamesToken(error: Refusal): boolean {
  return error.details.some(
    (item) =>
      item?.['@type'] === BAD_REQUEST &&
      item.fieldViolations.some(({ field }) => RECIPIENT_FIELDS.has(field)),
  );
}

function parseRefusal(body: string): Refusal {
  try {
    return refusal.safeParse(JSON.parse(body)).data?.error ?? { details: [] };
  } catch {
    return { details: [] }; // HTML from a proxy, or a truncated answer
  }
}
