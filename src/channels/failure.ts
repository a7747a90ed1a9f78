/** Turns the failures of Apple's channel management into errors of the API, and counts its answers. */
import { ApiError } from '../api/errors.ts';
import {
  CANNOT_CREATE_CHANNEL,
  type ApnsChannels,
  type Managed,
  type ManagementFailure,
} from '../gateways/apns/channels-at-apple.ts';
import { explainReason } from '../gateways/explain-reason.ts';
import type { Observe } from '../observe.ts';
import type { ChannelGateways } from './channel-gateways.ts';
import type { AppEnvironment } from './channel-store.ts';

const RETRY_AFTER_SECONDS = 10;

export function failureError(failure: ManagementFailure): ApiError {
  const { kind, reason } = failure;
  if (kind === 'unavailable') {
    return new ApiError('unavailable', {
      message: `Apple is not available (${reason}); try again shortly.`,
      retryAfterSeconds: Math.max(Math.ceil((failure.afterMs ?? RETRY_AFTER_SECONDS * 1_000) / 1_000), 1),
    });
  }
  if (reason === CANNOT_CREATE_CHANNEL) return new ApiError('channel_limit');
  const message = `Apple refuses this (${reason}): ${explainReason('rejected', reason)}`;
  return new ApiError('gateway_refused', { message });
}

/** @throws {ApiError} `gateway_refused` if the app has no credentials for the environment */
export async function requireApple(
  gateways: ChannelGateways | undefined,
  { appId, environment }: AppEnvironment,
): Promise<ApnsChannels> {
  const apple = await gateways?.forApp(appId, environment);
  if (apple !== undefined) return apple;
  const message = `The app has no credentials for Apple’s environment ${environment}; store its key first.`;
  throw new ApiError('gateway_refused', { message });
}

export async function observed<Result>(
  action: 'create' | 'read' | 'list' | 'delete',
  asked: Promise<Managed<Result>>,
  observe: Observe,
): Promise<Managed<Result>> {
  const managed = await asked;
  const reason = managed.kind === 'done' ? null : managed.reason;
  observe({ kind: 'channel_managed', action, result: managed.kind, reason });
  return managed;
}
