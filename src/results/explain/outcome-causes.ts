/** Finds the causes for a device that has an outcome. After `accepted` they are only possible causes. */
import { explainReason } from '../../gateways/explain-reason.ts';
import { showsText } from '../../gateways/payload.ts';
import { readableReason } from '../../gateways/reason.ts';
import type { EncryptedTextState } from '../../notifications/content/encrypted-texts.ts';
import type { Outcome } from '../../delivery/outcomes/packed.ts';
import { explainOutcome } from '../history/push-reply.ts';
import { type Cause, cause } from './cause.ts';
import {
  disabledNotifications,
  lossOf,
  missingDevice,
  ownerOf,
  routeObstacles,
  withoutNamedToken,
} from './device-causes.ts';
import type { DeviceFacts, Facts } from './facts.ts';

/** If the gateway keeps a push for less than this, a phone that is off for a while may not get it. */
const LONG_TIME_TO_LIVE_SECONDS = 24 * 60 * 60;

export function withOutcome(facts: Facts, outcome: Outcome): Cause[] {
  const { kind, atMs } = outcome;
  const at = new Date(atMs);
  switch (kind) {
    case 'accepted':
      return [...opened(facts), ...afterAccepted(facts, at)];
    case 'no_token':
      return [
        cause('no_token', 'The device had no push token when the notification was sent.', at),
        ...tokenSince(facts, at),
      ];
    case 'unregistered':
      return [
        cause('token_refused', refusal(facts, outcome, 'reported the push token dead'), at),
        ...tokenAfterRefusal(facts),
      ];
    case 'ambiguous':
      return [
        ...opened(facts),
        outcome.reason === 'not_saved' || outcome.reason === 'stopped_the_process'
          ? cause('failed', explainReason(kind, outcome.reason), at)
          : cause(
              'not_answered',
              `The push was written to ${gatewayName(facts)}, which never answered: it may have arrived.`,
              at,
            ),
      ];
    case 'dropped':
    case 'expired':
      return [cause('left_out', explainOutcome(outcome, facts.quietHours), at)];
    case 'capped':
      return [cause('capped', cappedSentence(facts.capUses, at), at)];
    case 'rejected':
      return [
        rejection(facts, outcome, at),
        ...(facts.device === undefined ? [] : routeObstacles(facts.device)),
      ];
  }
}

const NAMED_USES_MAX = 10;

/**
 * @param uses the notifications that have used the frequency cap, the oldest first; undefined if the app has no such cap
 * now
 */
function cappedSentence(uses: Facts['capUses'], at: Date): string {
  const sentence = explainReason('capped', null);
  const before = (uses ?? []).filter((use) => use.at <= at).slice(-NAMED_USES_MAX);
  if (before.length === 0) return sentence;
  const named = before.map((use) => `${use.notificationId} (${use.at.toISOString()})`);
  return `${sentence} It was used by ${named.join(', ')}.`;
}

function opened({ openedAt }: Facts): Cause[] {
  if (openedAt === undefined) return [];
  return [cause('opened', 'The device did get it: the app has reported that it was opened.', openedAt)];
}

/** The gateway has accepted the push, and does not report what happened then: these are possible causes. */
function afterAccepted(facts: Facts, at: Date): Cause[] {
  const { device, message, encryptedText } = facts;
  const owner = gatewayName(facts);
  // Live Activities and widgets show what they have without an alert.
  const hasText = showsText(message.payload) || message.token !== undefined;
  const causes = [
    cause(
      'accepted',
      `${owner} accepted the push and does not report what happened then. It waits there until the phone is on and has a network.`,
      at,
    ),
    ...(device === undefined ? [missingDevice(facts.erasedAt)] : []),
    ...disabledNotifications(device),
  ];
  const add = (...of: Parameters<typeof cause>): unknown => causes.push(cause(...of));
  const dead = device?.token.retired.find(({ retired_at: retiredAt }) => new Date(retiredAt) >= at);
  if (dead !== undefined) {
    const lost = `The token to which it was sent was lost later (${dead.reason}).`;
    add('token_retired', lost, dead.retired_at);
  }
  if (!hasText) {
    add('nothing_to_show', 'It has neither `alert` nor `title`, so the device shows nothing by itself.');
  }
  const { timeToLiveSeconds, dueAt } = message;
  if (timeToLiveSeconds < LONG_TIME_TO_LIVE_SECONDS) {
    const short = `Its time to live was ${timeToLiveSeconds} s: a phone that cannot be reached within that time does not get it.`;
    add('time_to_live', short, new Date(dueAt.getTime() + timeToLiveSeconds * 1_000));
  }
  if (hasText && message.priority === 'normal') {
    add('low_priority', 'Its priority is `normal`: a phone that saves power may show it much later.');
  }
  if (message.payload.collapse_key !== undefined) {
    add('replaced', 'It has a `collapse_key`: a later push with the same key replaces it.');
  }
  if (device?.token.route === 'fcm' && message.android === undefined && hasText) {
    const byApp =
      'On Android the app itself shows this push (`android_presentation` is `data`): it must be able to run.';
    add('app_draws', byApp);
  }
  const fallback = encryptedText && FALLBACK[encryptedText];
  if (fallback !== undefined) add('fallback_text', fallback);
  return causes;
}

/** Why a device gets the payload alone. Which key it had at that time is not stored. */
const FALLBACK: Readonly<Record<EncryptedTextState, string | undefined>> = {
  sent: undefined,
  no_key: 'It shows the fallback text: it has no `encryption_key`, so nobody could encrypt a text for it.',
  no_entry: 'It shows the fallback text: `encrypted_texts` has no entry for the key that it has now.',
};

/** Says how the device lost its token, and whether it has one now. */
function tokenSince({ device, erasedAt }: Facts, at: Date): Cause[] {
  if (device === undefined) return [missingDevice(erasedAt)];
  const { token, development } = device;
  if (token.state !== 'live') return lossOf(token, development);
  const earlier = token.retired.find(({ retired_at: retiredAt }) => new Date(retiredAt) <= at);
  if (earlier === undefined) return [isBack(device)];
  return [...lossOf({ ...token, state: 'retired', retired: [earlier] }, development), isBack(device)];
}

function tokenAfterRefusal({ device, erasedAt }: Facts): Cause[] {
  if (device === undefined) return [missingDevice(erasedAt)];
  const { token, development, hasNamedToken } = device;
  if (hasNamedToken !== undefined) return hasNamedToken ? [] : [withoutNamedToken()];
  if (token.state === 'live') return [isBack(device)];
  if (token.state === 'set_aside') return lossOf(token, development);
  return [cause('no_token', 'The device has no push token now: it gets one when the app is opened on it.')];
}

function isBack({ token }: DeviceFacts): Cause {
  return cause(
    'token_is_back',
    'The device has a push token now, so the next push can reach it.',
    token.presented_at,
  );
}

function rejection(facts: Facts, outcome: Outcome, at: Date): Cause {
  const { reason } = outcome;
  switch (reason) {
    case 'no_credentials':
      return cause(
        'no_credentials',
        'The app had no credentials for the gateway and environment of this device.',
        at,
      );
    case 'route_paused':
      return cause(
        'route_paused',
        'Sending was paused for longer than the time to live of the notification.',
        at,
      );
    case 'expired':
      return cause('expired', 'The time to live was over before the push could be sent.', at);
    case 'stopped_the_process':
    case 'not_possible':
      return cause('failed', explainReason('rejected', reason), at);
    case null:
    default:
      return reason !== null && Object.values(facts.refused).includes(reason)
        ? cause('credentials_refused', refusal(facts, outcome, 'refused the credentials'), at)
        : cause('refused', refusal(facts, outcome, 'refused the push'), at);
  }
}

function refusal(facts: Facts, { kind, reason }: Pick<Outcome, 'kind' | 'reason'>, verb: string): string {
  if (reason === null) return `${gatewayName(facts)} ${verb}.`;
  return `${gatewayName(facts)} ${verb} (${readableReason(reason)}). ${explainReason(kind, reason)}`;
}

function gatewayName({ device }: Facts): string {
  return device === undefined ? 'The gateway' : ownerOf(device.token.route);
}
