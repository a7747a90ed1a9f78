/** Checks whether Apple accepts a key, by a push to a device that does not exist. */
import Notification from '@parse/node-apn/lib/notification/index.js';
import type { Clock } from '../../clock.ts';
import type { Answered } from '@carillon/http2-client';
import { askGateway } from '../single-request.ts';
import type { Connecting } from '../open-pool.ts';
import type { Probe } from '../probe.ts';
import { statusReason } from '../reason.ts';
import { appleRefusalIn } from '../transport-verdict.ts';
import { headersOf } from './compile-apns.ts';
import { type ApnsCredentials, openProviderToken, TOO_MANY } from './provider-token.ts';

/** Well formed, so that Apple checks key and topic as with any push. Real tokens are random, 32 bytes or more. */
const NO_DEVICE = '0'.repeat(64);

interface ApnsProbeOptions extends Connecting {
  /** Scheme, host and port of the environment. */
  url: string;
  bundleId: string;
  credentials: ApnsCredentials;
  clock: Clock;
}

/**
 * Uses the provider token of the workers: that of this half hour, or the one before if they still have it. node-apn's `Provider`
 * would mint another and disturb the workers, because Apple limits how often a team may mint one.
 */
export async function probeApns(options: ApnsProbeOptions): Promise<Probe> {
  const { url, ca, proxy, bundleId, credentials, clock } = options;
  const token = openProviderToken(credentials, clock);
  const notification = new Notification();
  notification.topic = bundleId;
  notification.pushType = 'background';
  notification.priority = 5;
  notification.expiry = 0;
  notification.contentAvailable = true;
  const ask = async (bearer: string) =>
    askGateway({
      url,
      ca,
      proxy,
      path: `/3/device/${NO_DEVICE}`,
      headers: [...headersOf(notification), 'authorization', `bearer ${bearer}`],
      body: notification.compile(),
    });
  const bearer = token.current();
  let answer = await ask(bearer);
  const isOneTooMany = answer.kind === 'answered' && appleRefusalIn(answer.body).reason === TOO_MANY;
  if (isOneTooMany && token.refused(bearer, TOO_MANY)) answer = await ask(token.current());
  return answer.kind === 'answered' ? judge(answer) : { result: 'unknown', reason: answer.reason };
}

/** Reasons that reject only the device token. */
const DEVICE_REASONS: ReadonlySet<string> = new Set(['BadDeviceToken', 'Unregistered', 'ExpiredToken']);
/** Reasons that reject the topic, with status 400. */
const TOPIC_REASONS: ReadonlySet<string> = new Set(['TopicDisallowed', 'BadTopic', 'DeviceTokenNotForTopic']);

function judge({ status, body }: Answered): Probe {
  const { reason = statusReason(status) } = appleRefusalIn(body);
  if (status === 200 || DEVICE_REASONS.has(reason)) return { result: 'good' };
  return { result: status === 403 || TOPIC_REASONS.has(reason) ? 'refused' : 'unknown', reason };
}
