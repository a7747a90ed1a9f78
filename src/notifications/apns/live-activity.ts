/** The optional key `live_activity` of a notification: it starts, updates or ends a Live Activity. */
import { z } from 'zod';
import type { FaultDetail } from '../../api/errors.ts';
import type { ActivityMessage } from '../../gateways/apns/live-activity.ts';
import { type Payload, showsText } from '../../gateways/payload.ts';
import { isJsonObject, text } from '../../api/parse.ts';
import { parseInstant, WRITTEN_INSTANT } from '../../time/instant.ts';
import { fault } from './apns-options.ts';

/** iOS shows a Live Activity for at most 12 hours, of which it is active for 8. */
export const ACTIVITY_SECONDS_MAX = 12 * 60 * 60;

const NAME_CHARACTERS_MAX = 255;
const CHANNEL = /^[A-Za-z0-9+/=_-]{1,255}$/;
const dateRule = 'must be an ISO 8601 date-time, e.g. "2026-12-24T18:00:00Z"';
const channelRule = 'must be the id of a channel, as text';

/** A raw number is an object too, but not a JSON object. */
const anyObject = z.preprocess(
  (value) => (value === undefined || isJsonObject(value) ? value : null),
  z.record(z.string(), z.unknown(), 'must be an object'),
);
const date = z
  .string(dateRule)
  .refine((written) => parseInstant(written) !== undefined, dateRule)
  .meta({ pattern: WRITTEN_INSTANT.source });

const activityId = text(NAME_CHARACTERS_MAX, 1).describe(
  'The app’s own id of the activity: the name under which devices have registered its push token.',
);
const state = anyObject.describe('The content that changes, as the app’s `ContentState` reads it.');
const shared = {
  stale_date: date.describe('When the content is out of date.').exactOptional(),
  relevance_score: z
    .number('must be a number')
    .describe('The activity with the highest score is shown first.')
    .exactOptional(),
};

export const liveActivityField = z
  .discriminatedUnion(
    'event',
    [
      z
        .strictObject({
          event: z.literal('start'),
          attributes_type: text(NAME_CHARACTERS_MAX, 1).describe(
            'The name of the app’s `ActivityAttributes`, under which devices have registered a push-to-start token.',
          ),
          attributes: anyObject.describe('The content that does not change.'),
          content_state: state,
          input_push_token: z
            .boolean('must be true or false')
            .describe(
              'Whether iOS 18 asks for a push token for the activity that it starts; true if left out and there is no channel.',
            )
            .exactOptional(),
          input_push_channel: z
            .string(channelRule)
            .regex(CHANNEL, channelRule)
            .describe('The channel from which the activity gets its updates (iOS 18).')
            .exactOptional(),
          ...shared,
        })
        .meta({ id: 'LiveActivityStart' }),
      z
        .strictObject({
          event: z.literal('update'),
          activity_id: activityId,
          content_state: state,
          ...shared,
        })
        .meta({ id: 'LiveActivityUpdate' }),
      z
        .strictObject({
          event: z.literal('end'),
          activity_id: activityId,
          content_state: state.exactOptional(),
          dismissal_date: date
            .describe(
              'When it is removed from the lock screen; a time in the past removes it at once, and without one it stays for up to four hours.',
            )
            .exactOptional(),
          ...shared,
        })
        .meta({ id: 'LiveActivityEnd' }),
    ],
    { error: ({ input }) => (isJsonObject(input) ? 'must be start, update or end' : 'must be an object') },
  )
  .meta({ id: 'LiveActivity' })
  .describe('Starts, updates or ends a Live Activity. `payload` is its alert, and may be left out.');

export type LiveActivity = z.output<typeof liveActivityField>;

/** Keys of a notification that a Live Activity may have; a start may also have `deliver_at`. */
const KEYS: ReadonlySet<string> = new Set(
  'to live_activity payload priority time_to_live dry_run max_recipients'.split(' '),
);
const PAYLOAD_KEYS: ReadonlySet<string> = new Set(
  'alert title loc_key loc_args title_loc_key title_loc_args sound'.split(' '),
);

export function liveActivityFaults(
  activity: LiveActivity,
  notification: Readonly<Record<string, unknown>>,
  payload: Payload,
): FaultDetail[] {
  const { event } = activity;
  const faults = Object.keys(notification)
    .filter((key) => !KEYS.has(key) && !(event === 'start' && key === 'deliver_at'))
    .map((key) => fault(key, `must be left out for the ${event} of a Live Activity`));
  for (const key of Object.keys(payload)) {
    if (!PAYLOAD_KEYS.has(key)) faults.push(fault(`payload.${key}`, 'has no meaning in a Live Activity'));
  }
  const { time_to_live: timeToLive, to } = notification;
  if (typeof timeToLive === 'number' && timeToLive > ACTIVITY_SECONDS_MAX) {
    faults.push(fault('time_to_live', `must be at most ${ACTIVITY_SECONDS_MAX} for a Live Activity`));
  }
  if (event !== 'start') {
    if (to !== '*' && !(isJsonObject(to) && Object.hasOwn(to, 'device_id'))) {
      faults.push(fault('to', `must be "*" or {"device_id": "…"} for the ${event} of a Live Activity`));
    }
    return faults;
  }
  if (!showsText(payload)) {
    faults.push(fault('payload', 'must have an alert or a title: iOS starts a Live Activity with an alert'));
  }
  if (activity.input_push_token !== undefined && activity.input_push_channel !== undefined) {
    faults.push(fault('live_activity.input_push_channel', 'cannot be used together with input_push_token'));
  }
  return faults;
}

/** @param at the time for which its content holds */
export function activityMessage(activity: LiveActivity, at: Date): ActivityMessage {
  const { event, stale_date: stale, relevance_score: score, content_state: contentState } = activity;
  const dismissal = activity.event === 'end' ? activity.dismissal_date : undefined;
  return {
    event,
    timestamp: Math.floor(at.getTime() / 1_000),
    ...(contentState !== undefined && { 'content-state': contentState }),
    ...(activity.event === 'start' && {
      'attributes-type': activity.attributes_type,
      attributes: activity.attributes,
      ...inputOf(activity),
    }),
    ...(stale !== undefined && { 'stale-date': unixSeconds(stale) }),
    ...(dismissal !== undefined && { 'dismissal-date': unixSeconds(dismissal) }),
    ...(score !== undefined && { 'relevance-score': score }),
  };
}

/** @param written has been checked */
function unixSeconds(written: string): number {
  return Math.floor((parseInstant(written)?.getTime() ?? 0) / 1_000);
}

function inputOf({
  input_push_token: asksForToken = true,
  input_push_channel: channel,
}: Extract<LiveActivity, { event: 'start' }>): Pick<
  ActivityMessage,
  'input-push-token' | 'input-push-channel'
> {
  if (channel !== undefined) return { 'input-push-channel': channel };
  return asksForToken ? { 'input-push-token': 1 } : {};
}
