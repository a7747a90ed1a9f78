/** The last outcomes of a device, found in the newest notifications of its app. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import { assertDeviceId, noSuchDevice } from '../../devices/device-errors.ts';
import { readDeviceRows } from '../../devices/store.ts';
import { explainReason } from '../../gateways/explain-reason.ts';
import { readableReason } from '../../gateways/reason.ts';
import { variantContents } from '../../notifications/content/variants.ts';
import { parseContent } from '../../notifications/message.ts';
import { cursorOf, pageCursor, type Position } from '../../api/page-cursor.ts';
import { count, idText, timeText } from '../../api/reply.ts';
import { findOutcomes, type FoundOutcome, readWindow, type Window } from './device-history-store.ts';
import { findOutcome, outcomeKinds } from '../../delivery/outcomes/packed.ts';

const OUTCOMES_PER_PAGE = 20;
/** Searching a bulk notification reads one slice, some 22 KB. */
const NOTIFICATIONS_SEARCHED_MAX = 500;

export const historyQuery = z.object({ cursor: pageCursor });

const pastOutcome = z
  .strictObject({
    notification_id: idText,
    created_at: timeText.describe('When the notification was created.'),
    title: z.string().nullable(),
    alert: z.string().nullable().describe('Its text; null if it shows none.'),
    outcome: z.enum(outcomeKinds),
    reason: z.string().nullable().describe('The code or text with which the gateway refused the push.'),
    variant: z
      .string()
      .nullable()
      .describe('The variant of the device, or `hold_out`; null if the notification is no A/B test.'),
    explanation: z
      .string()
      .describe('One or two sentences for people: what the outcome means, and what to do.'),
    at: timeText,
    opened_at: timeText.nullable().describe('When the device reported that it was opened.'),
  })
  .meta({ id: 'DeviceOutcome' });

export const historyReply = z
  .strictObject({
    outcomes: z.array(pastOutcome),
    meta: z
      .strictObject({
        cursor: z
          .string()
          .nullable()
          .describe('Continues the search; null if there are no older notifications.'),
        searched: z
          .strictObject({
            notifications: count,
            no_longer_kept: count.describe('How many of them no longer have per-device outcomes.'),
            since: timeText
              .nullable()
              .describe('When the oldest of them was created; null if there is none.'),
          })
          .meta({ id: 'SearchedNotifications' })
          .describe(
            `The notifications of the app that this call searched, newest first: at most ${NOTIFICATIONS_SEARCHED_MAX}. An older ` +
              'one may have an outcome for the device as well.',
          ),
      })
      .meta({ id: 'DeviceOutcomesMeta' }),
  })
  .meta({ id: 'DeviceOutcomes' });

export type DeviceHistory = z.output<typeof historyReply>;

/**
 * Searches until a page is full, or a fixed number of notifications has been searched, whichever comes first.
 * @throws {ApiError} `not_found`, also for an erased device
 */
export async function readHistory(
  db: Kysely<Database>,
  appId: string,
  id: string,
  after: Position | undefined,
): Promise<DeviceHistory> {
  assertDeviceId(id);
  const deviceId = id.toLowerCase();
  const [[device], window] = await Promise.all([
    readDeviceRows(db, appId, [deviceId]),
    readWindow(db, { appId, after, limit: NOTIFICATIONS_SEARCHED_MAX }),
  ]);
  if (device === undefined) throw noSuchDevice();
  const { last } = window;
  if (last === undefined) return reply([], window, null);
  const limit = OUTCOMES_PER_PAGE;
  const found = await findOutcomes(db, { appId, deviceId, after, until: last, limit });
  const oldest = found.length === limit ? found.at(-1) : undefined;
  if (oldest === undefined) {
    return reply(found, window, window.notifications < NOTIFICATIONS_SEARCHED_MAX ? null : last);
  }
  // The page is full, so nothing older than its last notification was searched.
  const until: Position = { createdAt: oldest.createdAt, id: oldest.id };
  return reply(
    found,
    await readWindow(db, { appId, after, until, limit: NOTIFICATIONS_SEARCHED_MAX }),
    until,
  );

  function reply(outcomes: readonly FoundOutcome[], searched: Window, next: Position | null): DeviceHistory {
    return {
      outcomes: outcomes.map((one) => outcomeOf(one, deviceId)),
      meta: {
        cursor: next === null ? null : cursorOf(next),
        searched: {
          notifications: searched.notifications,
          no_longer_kept: searched.pruned,
          since: searched.last?.createdAt.toISOString() ?? null,
        },
      },
    };
  }
}

function outcomeOf(
  { id, createdAt, body, outcomes, openedAt }: FoundOutcome,
  deviceId: string,
): DeviceHistory['outcomes'][number] {
  const [outcome] = outcomes.flatMap((packed) => findOutcome(packed, deviceId) ?? []);
  if (outcome === undefined) throw new Error('packed outcomes have the id of a device, but no outcome of it');
  const content = parseContent(body);
  const { kind, reason, variant = null, atMs } = outcome;
  const shown = variantContents(content).find(({ name }) => name === variant)?.content ?? content;
  const { payload } = shown;
  return {
    notification_id: id,
    created_at: createdAt.toISOString(),
    title: payload.title ?? null,
    alert: payload.alert ?? null,
    outcome: kind,
    reason: reason === null ? null : readableReason(reason),
    variant,
    explanation: explainReason(kind, reason),
    at: new Date(atMs).toISOString(),
    opened_at: openedAt?.toISOString() ?? null,
  };
}
