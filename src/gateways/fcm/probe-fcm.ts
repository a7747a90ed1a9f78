/** Checks whether Google accepts credentials, with firebase-admin's validate-only send. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { proxyFailureIn } from '../../proxy/tunnel.ts';
import { withinTime } from '../../scheduling/time-limit.ts';
import type { Probe } from '../probe.ts';
import { reasonText } from '../transport-verdict.ts';
import { failedGrant } from './access-token.ts';
import { type GoogleAddresses, GoogleAgent, isGooglesOauth } from './google-agent.ts';
import { openGoogleCredential } from './google-credential.ts';
import type { FcmCredentials } from './service-account.ts';

/** Never a device's token: registration tokens contain no dot. */
const NO_REGISTRATION = 'carillon.doctor';
/** firebase-admin retries for longer than a person waits. */
const TIMEOUT_MS = 15_000;

export interface FcmProbeOptions extends GoogleAddresses {
  credentials: FcmCredentials;
  clock: Clock;
  /** After this time, a missing answer counts as `unknown`; by default 15 seconds. */
  timeoutMs?: number;
}

/** Fetches an access token, and asks FCM to validate a message without sending it. */
export async function probeFcm({
  credentials,
  clock,
  timeoutMs = TIMEOUT_MS,
  ...addresses
}: FcmProbeOptions): Promise<Probe> {
  const [{ deleteApp, initializeApp }, { getMessaging }] = await Promise.all([
    import('firebase-admin/app'),
    import('firebase-admin/messaging'),
  ]);
  const agent = new GoogleAgent(addresses);
  const credential = await openGoogleCredential(credentials, agent, isGooglesOauth(addresses));
  const { project_id: projectId } = credentials;
  const app = initializeApp({ credential, projectId, httpAgent: agent }, randomUUID());
  const message = { token: NO_REGISTRATION, data: { probe: '1' } };
  try {
    await withinTime(timeoutMs, getMessaging(app).send(message, /* dryRun */ true));
    return { result: 'good' };
  } catch (error) {
    return judge(error, credentials, clock());
  } finally {
    await deleteApp(app);
    agent.destroy();
  }
}

/** FCM's answer in an error of firebase-admin. */
const refusal = z.object({
  httpResponse: z.object({
    status: z.number(),
    data: z
      .object({
        error: z.object({
          status: reasonText,
          details: z.array(z.unknown()).catch([]).default([]),
        }),
      })
      .optional()
      .catch(undefined),
  }),
});
const failure = z.object({ code: z.string(), cause: z.unknown() });
const networkError = z.object({ code: z.string() });

/** Reasons that reject only the registration token; `NOT_FOUND` only in an answer with details, which FCM itself gives. */
const TOKEN_REASONS: ReadonlySet<string> = new Set(['INVALID_ARGUMENT', 'NOT_FOUND', 'UNREGISTERED']);

function judge(error: unknown, credentials: FcmCredentials, now: Date): Probe {
  const refused = refusal.safeParse(error).data?.httpResponse;
  if (refused !== undefined) {
    const { status, data } = refused;
    const reason = data?.error.status ?? `HTTP ${status}`;
    const isUnknownProject = status === 404 && (data?.error.details.length ?? 0) === 0;
    if (TOKEN_REASONS.has(reason) && !isUnknownProject) return { result: 'good' };
    return { result: isUnknownProject || status === 401 || status === 403 ? 'refused' : 'unknown', reason };
  }
  const failed = failure.safeParse(error).data;
  if (failed?.code === 'app/invalid-credential') {
    const { kind, reason } = failedGrant(failed.cause, credentials, now);
    return { result: kind === 'refused' ? 'refused' : 'unknown', reason };
  }
  const detail = proxyFailureIn(error) ?? networkError.safeParse(failed?.cause).data?.code;
  return { result: 'unknown', reason: `FCM did not answer${detail === undefined ? '' : ` (${detail})`}` };
}
