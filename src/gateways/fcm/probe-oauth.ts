/** Checks whether Google's server for access tokens can be reached, in the way of Google's libraries. */
import { once } from 'node:events';
import { type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../clock.ts';
import { describeFailure } from '@carillon/http2-client';
import { aheadOf, type HostProbe } from '../probe.ts';
import { type GoogleAddresses, GoogleAgent, OAUTH_HOST } from './google-agent.ts';

const TIMEOUT_MS = 13_000;

/** Uses HTTP/1.1; whether the host also speaks HTTP/2 does not matter. */
export async function probeOauth(addresses: GoogleAddresses, clock: Clock): Promise<HostProbe> {
  const asked = clock().getTime();
  const agent = new GoogleAgent(addresses);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const headers = { 'content-type': 'application/json' };
  const request = requestHttps({ host: OAUTH_HOST, path: '/token', method: 'POST', agent, headers, signal });
  try {
    request.end('{}');
    const [response]: IncomingMessage[] = await once(request, 'response');
    return { reached: true, aheadMs: aheadOf(response?.headers.date, clock, asked) };
  } catch (error) {
    const reason = signal.aborted ? 'answer_timeout' : 'connection_failed';
    return {
      reached: false,
      reason: describeFailure({ reason, ...(!signal.aborted && { detail: codeOf(error) }) }),
    };
  } finally {
    request.on('error', () => undefined); // of its end, which nobody waits for
    request.destroy();
    agent.destroy();
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
