/**
 * The body of a broadcast, and the `aps` dictionary that it becomes. Source: Apple, "Starting and updating Live Activities
 * with ActivityKit push notifications".
 */
import { z } from 'zod';
import { ApiError, invalidRequest } from '../api/errors.ts';
import { stringifyJson } from '../json/lossless.ts';
import { double, isJsonObject, parseBy, text } from '../api/parse.ts';
import { instant } from '../time/instant.ts';

const TEXT_CHARACTERS_MAX = 4_096;
const TTL_SECONDS_MIN = 60;
/** A Live Activity is updated for eight hours at most. */
const TTL_SECONDS_MAX = 28_800;
const TTL_RULE = `must be a whole number of seconds from ${TTL_SECONDS_MIN} to ${TTL_SECONDS_MAX}`;
const OBJECT_RULE = 'must be an object';
const EVENT_RULE = 'must be update or end';
const PRIORITY_RULE = 'must be high or normal';
/** Apple's limit for broadcasts; that of pushes is 4,096. */
const PAYLOAD_BYTES_MAX = 5_120;
/** As long as every timestamp until the year 2286. */
const ANY_TIMESTAMP = 1_000_000_000;

export const broadcastBody = z
  .strictObject({
    broadcast: z
      .strictObject({
        event: z
          .enum(['update', 'end'], EVENT_RULE)
          .describe('After an `end`, the channel takes no more updates.'),
        content_state: z
          .record(z.string(), z.unknown(), OBJECT_RULE)
          .refine(isJsonObject, OBJECT_RULE)
          .describe('The new content, with the keys of `ContentState` in the app. Required for an `update`.')
          .optional(),
        alert: z
          .strictObject({
            title: text(TEXT_CHARACTERS_MAX, 1),
            body: text(TEXT_CHARACTERS_MAX, 1),
            sound: text(TEXT_CHARACTERS_MAX, 1).optional(),
          })
          .meta({ id: 'BroadcastAlert' })
          .describe('Lights up the screen, or shows on a watch.')
          .optional(),
        stale_date: instant.describe('When the content is out of date.').optional(),
        dismissal_date: instant
          .describe(
            'When an ended activity leaves the lock screen; only with `end`. Without it, four hours later at most.',
          )
          .optional(),
        relevance_score: double(z.number('must be a number'))
          .describe('Decides which of several activities of the app is shown first.')
          .optional(),
        priority: z
          .enum(['high', 'normal'], PRIORITY_RULE)
          .describe('Apple counts broadcasts of priority `high` against a budget.')
          .default('high'),
        time_to_live: z
          .int(TTL_RULE)
          .min(TTL_SECONDS_MIN, TTL_RULE)
          .max(TTL_SECONDS_MAX, TTL_RULE)
          .describe(
            'Seconds for which it is tried, and for which Apple keeps it if the channel stores the latest.',
          )
          .default(TTL_SECONDS_MAX),
        timestamp: instant
          .describe(
            'The time of the content, to the second: devices ignore older content than they show, and so ' +
              'does this call. Without it, the time of sending.',
          )
          .optional(),
      })
      .meta({ id: 'NewBroadcast' }),
  })
  .meta({ id: 'CreateBroadcast' });

export interface NewBroadcast {
  event: 'update' | 'end';
  /** Without its event and timestamp. */
  aps: Readonly<Record<string, unknown>>;
  priority: 10 | 5;
  timeToLiveSeconds: number;
  /** Unix seconds. */
  timestamp: number | null;
}

/** @throws {ApiError} `invalid_request`, `payload_too_large` */
export function parseBroadcastBody(body: unknown): NewBroadcast {
  const { broadcast } = parseBy(broadcastBody, body);
  const { event, content_state: contentState, alert, priority } = broadcast;
  const { stale_date: stale, dismissal_date: dismissal } = broadcast;
  if (event === 'update' && contentState === undefined) {
    throw invalidRequest([{ path: 'broadcast.content_state', message: 'is required for an update' }]);
  }
  if (event === 'update' && dismissal !== undefined) {
    const message = 'is allowed only with the event "end"';
    throw invalidRequest([{ path: 'broadcast.dismissal_date', message }]);
  }
  // JSON leaves out the keys whose value is undefined.
  const aps = {
    'content-state': contentState,
    alert,
    'stale-date': stale && unixSeconds(stale),
    'dismissal-date': dismissal && unixSeconds(dismissal),
    'relevance-score': broadcast.relevance_score,
  };
  const timestamp = broadcast.timestamp === undefined ? null : unixSeconds(broadcast.timestamp);
  const bytes = Buffer.byteLength(compileBroadcast(aps, event, timestamp ?? ANY_TIMESTAMP));
  if (bytes > PAYLOAD_BYTES_MAX) {
    const message = `The broadcast is ${bytes} bytes long at Apple, which allows ${PAYLOAD_BYTES_MAX}; shorten it.`;
    throw new ApiError('payload_too_large', { message });
  }
  return {
    event,
    aps,
    priority: priority === 'high' ? 10 : 5,
    timeToLiveSeconds: broadcast.time_to_live,
    timestamp,
  };
}

/** The payload of a broadcast. @param timestamp Unix seconds */
export function compileBroadcast(aps: unknown, event: 'update' | 'end', timestamp: number): string {
  return stringifyJson({ aps: { timestamp, event, ...Object(aps) } });
}

export function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}
