/** Whether a gateway lets credentials in, found out by a push that can reach nobody. */
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Answered } from '../http2-client/answer.ts';
import { openProviderToken, type ApnsCredentials } from './apns/provider-token.ts';
import { askGateway } from './ask.ts';
import { openAccessToken } from './fcm/access-token.ts';
import type { FcmCredentials } from './fcm/service-account.ts';
import { REASON } from './transport-verdict.ts';

/**
 * - `good`: all that is wrong with the push is its recipient.
 * - `refused`: the credentials are; `reason` in the gateway's own words.
 * - `unknown`: the gateway was not reached, or says neither.
 */
export type Probe = { result: 'good' } | { result: 'refused' | 'unknown'; reason: string };

/**
 * Well formed, so that Apple looks for its device and judges key and topic as with any push; and of no device: tokens
 * are random, 32 bytes or more.
 */
const NO_DEVICE = '0'.repeat(64);
/** A dot is in no registration token. */
const NO_REGISTRATION = 'carillon.doctor';

const GOOD: Probe = { result: 'good' };

export interface ApnsProbeOptions {
  /** Scheme, host and port of the environment. */
  url: string;
  ca: string | undefined;
  bundleId: string;
  credentials: ApnsCredentials;
  clock: Clock;
}

/** With the provider token of this half hour, which the workers have too: Apple limits how often a team has a new one. */
export async function probeApns(options: ApnsProbeOptions): Promise<Probe> {
  const { url, ca, bundleId, credentials, clock } = options;
  const bearer = openProviderToken(credentials, clock).current();
  const answer = await askGateway({
    url,
    ca,
    path: `/3/device/${NO_DEVICE}`,
    headers: Object.entries({
      'apns-topic': bundleId,
      'apns-push-type': 'background',
      'apns-priority': '5',
      'apns-expiration': '0',
      authorization: `bearer ${bearer}`,
    }).flat(),
    body: '{"aps":{"content-available":1}}',
  });
  return answer.kind === 'answered' ? judgeApns(answer) : { result: 'unknown', reason: answer.reason };
}

const appleRefusal = z.object({ reason: z.string().regex(REASON) });
/** Of the device alone. */
const APPLE_GOOD: ReadonlySet<string> = new Set(['BadDeviceToken', 'Unregistered', 'ExpiredToken']);
/** With status 400, and of the topic. */
const APPLE_TOPIC: ReadonlySet<string> = new Set(['TopicDisallowed', 'BadTopic', 'DeviceTokenNotForTopic']);

function judgeApns({ status, body }: Answered): Probe {
  const reason = parse(appleRefusal, body)?.reason ?? `HTTP ${status}`;
  if (status === 200 || APPLE_GOOD.has(reason)) return GOOD;
  return { result: status === 403 || APPLE_TOPIC.has(reason) ? 'refused' : 'unknown', reason };
}

export interface FcmProbeOptions {
  /** Scheme, host and port of FCM, and of Google's OAuth. */
  url: string;
  oauthUrl: string;
  ca: string | undefined;
  credentials: FcmCredentials;
  clock: Clock;
}

/** Gets an access token, and has FCM validate a message without sending it. */
export async function probeFcm({ url, oauthUrl, ca, credentials, clock }: FcmProbeOptions): Promise<Probe> {
  const accessToken = openAccessToken({ credentials, oauthUrl, ca, clock });
  try {
    const grant = await accessToken.get();
    if (grant.kind !== 'granted') {
      return { result: grant.kind === 'refused' ? 'refused' : 'unknown', reason: grant.reason };
    }
    const answer = await askGateway({
      url,
      ca,
      path: `/v1/projects/${encodeURIComponent(credentials.project_id)}/messages:send`,
      headers: ['authorization', `Bearer ${grant.token}`, 'content-type', 'application/json'],
      body: JSON.stringify({
        validate_only: true,
        message: { token: NO_REGISTRATION, data: { probe: '1' } },
      }),
    });
    return answer.kind === 'answered' ? judgeFcm(answer) : { result: 'unknown', reason: answer.reason };
  } finally {
    accessToken.close();
  }
}

const googleRefusal = z.object({ error: z.object({ status: z.string().regex(REASON) }) });
/** Of the registration token alone. */
const GOOGLE_GOOD: ReadonlySet<string> = new Set(['INVALID_ARGUMENT', 'NOT_FOUND', 'UNREGISTERED']);

function judgeFcm({ status, body }: Answered): Probe {
  const reason = parse(googleRefusal, body)?.error.status ?? `HTTP ${status}`;
  if (status === 200 || GOOGLE_GOOD.has(reason)) return GOOD;
  return { result: status === 401 || status === 403 ? 'refused' : 'unknown', reason };
}

function parse<Schema extends z.ZodType>(schema: Schema, body: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined; // an answer that was cut off, or that a proxy wrote
  }
}

export type HostProbe =
  | {
      reached: true;
      /** By how much our clock is ahead of the gateway's, to the second; undefined where it does not say its time. */
      aheadMs: number | undefined;
    }
  | { reached: false; reason: string };

/** Whether a host is reached over TLS that we trust and answers in HTTP/2, and what time it has. */
export async function probeHost(
  host: { url: string; ca: string | undefined; path: string },
  clock: Clock,
): Promise<HostProbe> {
  const answer = await askGateway({ ...host, headers: ['content-type', 'application/json'], body: '{}' });
  if (answer.kind !== 'answered') return { reached: false, reason: answer.reason };
  const theirs = Date.parse(answer.headers['date'] ?? '');
  return { reached: true, aheadMs: Number.isNaN(theirs) ? undefined : clock().getTime() - theirs };
}
