/** Turns the facts about a device and a notification into causes: the first one is the answer, the others add to it. */
import { type Cause, cause } from './cause.ts';
import {
  disabledNotifications,
  missingDevice,
  obstacles,
  outsideAudience,
  withoutNamedToken,
} from './device-causes.ts';
import { hoursInWords } from '../history/push-reply.ts';
import type { Facts } from './facts.ts';
import { withOutcome } from './outcome-causes.ts';

/** @returns at least one cause */
export function causesOf(facts: Facts): Cause[] {
  const { outcome } = facts.delivery;
  if (outcome !== undefined) return withOutcome(facts, outcome);
  return [...withoutOutcome(facts), ...disabledNotifications(facts.device)];
}

function withoutOutcome(facts: Facts): Cause[] {
  const { state, dueAt, delivery, waitsUntil } = facts;
  const { reason, startedAt, endedAt } = delivery;
  switch (state) {
    case 'scheduled':
      return [
        cause(
          'scheduled',
          'The notification has not been sent yet: it waits for the moment for which it was scheduled.',
          dueAt,
        ),
        ...obstacles(facts),
      ];
    case 'validated':
      return [cause('dry_run', 'The notification was a dry run: nothing was sent.', endedAt)];
    case 'canceled':
      if (startedAt === null) {
        return [cause('canceled', 'The notification was canceled before it was sent.', endedAt)];
      }
      return [
        ...(wasPruned(facts) ? [notKept(endedAt)] : []),
        cause('canceled', 'The notification was canceled before the push to this device left.', endedAt),
        ...obstacles(facts),
      ];
    case 'sending':
      if (delivery.sliceState === 'done') return afterSending(facts);
      if (waitsUntil !== undefined) {
        return [waits(facts, waitsUntil), ...obstacles(facts)];
      }
      return [
        ...obstacles(facts),
        cause('sending', 'The notification is being sent, and this device has no outcome yet.', startedAt),
      ];
    case 'failed':
      if (delivery.failedWhole) {
        const why = reason === null ? '' : `: ${reason}`;
        return [
          cause('failed', `The notification failed, and nothing was sent${why}.`, endedAt),
          ...obstacles(facts),
        ];
      }
      return afterSending(facts);
    case 'sent':
      return afterSending(facts);
  }
}

function waits({ isHeld, quietHours }: Facts, until: Date): Cause {
  if (isHeld && quietHours !== undefined) {
    return cause(
      'held',
      `It is held because of ${hoursInWords(quietHours)}, and is sent when they end.`,
      until,
    );
  }
  const sentence =
    'The notification is sent to each device at a moment of its own, which has not come yet for this one.';
  return cause('waits_for_wave', sentence, until);
}

/** The notification was sent, and the device has no outcome. */
function afterSending(facts: Facts): Cause[] {
  const { device, erasedAt, filters } = facts;
  const { startedAt, endedAt } = facts.delivery;
  if (wasPruned(facts)) return [notKept(endedAt), ...obstacles(facts)];
  if (device === undefined) return [missingDevice(erasedAt)];
  if (device.hasNamedToken === false) return [withoutNamedToken()];
  if (startedAt !== null && device.created_at > startedAt) {
    return [
      cause(
        'device_younger',
        'The device was registered after the notification was sent.',
        device.created_at,
      ),
      ...outsideAudience(filters),
    ];
  }
  const outside = outsideAudience(filters);
  const hasChanged = startedAt !== null && device.registered_at > startedAt;
  if (outside.length > 0 && !hasChanged) return outside;
  const now =
    outside.length === 0 ? 'It is in the audience now, but' : 'Its attributes may have changed since;';
  const changed = cause(
    'changed_since',
    `The device was updated after the notification was sent. ${now} it was not in it at that time.`,
    hasChanged ? device.registered_at : null,
  );
  return outside.length === 0 ? [changed] : [...outside, changed];
}

function wasPruned({ delivery: { prunedAt, sliceState, hasOutcomes } }: Facts): boolean {
  return prunedAt !== null && sliceState === null && hasOutcomes;
}

function notKept(endedAt: Date | null): Cause {
  return cause(
    'outcome_not_kept',
    'The notification ended so long ago that the outcomes of single devices are no longer kept.',
    endedAt,
  );
}
