/**
 * Records events for a device, or for every device of a user. Only the count and the first and last time per event name
 * are stored, because filters need no more.
 */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Database, DeviceEventsTable } from '../../db/tables.ts';
import { invalidRequest } from '../../api/errors.ts';
import { instant } from '../../time/instant.ts';
import { parseBy, text } from '../../api/parse.ts';
import { userToken } from '../device-schema.ts';
import { assertDeviceId, missingDevice } from '../device-errors.ts';
import { anyOf, selectDevice } from '../store.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import { lockDevicesOf } from '../users.ts';

/** The events of one name in one call. */
interface EventTally {
  name: string;
  count: number;
  firstHappenedAt: Date;
  lastHappenedAt: Date;
}

export interface RecordOptions {
  /** The source of an event that does not name one; null records it without a source, like events of the SDK. */
  defaultSource: string | null;
}

const EVENTS_MAX = 1000;
const NAME_CHARACTERS_MAX = 255;
/** A device's clock may be wrong, but by at most a day, which covers every time zone. */
const AHEAD_MS_MAX = 24 * 60 * 60 * 1000;
/** Limits the time to read a device. Two concurrent calls may together exceed it. */
const NAMES_PER_DEVICE_MAX = 1000;

export const eventsBody = z
  .strictObject({
    events: z
      .array(
        z
          .strictObject({
            name: text(NAME_CHARACTERS_MAX, 1),
            date: instant.nullish(),
            source: text(NAME_CHARACTERS_MAX, 1)
              .describe(
                'If left out, `Public Api` for a key that may write. Other keys may not name a source.',
              )
              .nullish(),
          })
          .meta({ id: 'DeviceEvent' }),
        'must be a list of events',
      )
      .min(1, 'must hold at least one event')
      .max(EVENTS_MAX, `must hold at most ${EVENTS_MAX} events`),
  })
  .meta({ id: 'ReportEvents' });

export const userEventsBody = eventsBody
  .extend({
    user_token: userToken.describe('For the user of the events. Needed where the app demands it.').nullish(),
  })
  .meta({ id: 'ReportUserEvents' });

/** An event without a date counts as happening now; one without a source gets the default (`RecordOptions`). */
export type DeviceEvent = z.output<typeof eventsBody>['events'][number];

/**
 * `{"events": [{"name", "date"?, "source"?}]}`
 * @throws {ApiError} `invalid_request`, at paths such as `events[0].date`
 */
export function parseEventsBody(body: unknown): DeviceEvent[] {
  return parseBy(eventsBody, body).events;
}

/** The same, with a user token. @throws {ApiError} `invalid_request` */
export function parseUserEventsBody(body: unknown): z.output<typeof userEventsBody> {
  return parseBy(userEventsBody, body);
}

/** @throws {ApiError} `not_found`, `device_erased`, or `invalid_request` for an event too far in the future */
export async function recordDeviceEvents(
  db: Kysely<Database>,
  appId: string,
  deviceId: string,
  events: readonly DeviceEvent[],
  options: RecordOptions,
  clock: Clock,
): Promise<void> {
  assertDeviceId(deviceId);
  const tallies = tally(events, options, clock());
  await retryOnConflict(db, async (trx) => {
    // Keeps the device from being erased until the transaction ends.
    const locked = await selectDevice(trx, appId, deviceId).select('id').forKeyShare().executeTakeFirst();
    if (locked === undefined) throw await missingDevice(trx, appId, deviceId);
    await record(trx, appId, [deviceId], tallies);
  });
}

/**
 * Records the events on every device that the user has now.
 * @throws {ApiError} `not_found` if no device has that user, or `invalid_request` as above
 */
export async function recordUserEvents(
  db: Kysely<Database>,
  appId: string,
  userId: string,
  events: readonly DeviceEvent[],
  options: RecordOptions,
  clock: Clock,
): Promise<void> {
  const tallies = tally(events, options, clock());
  await retryOnConflict(db, async (trx) => {
    const deviceIds = await lockDevicesOf(trx, appId, userId, 'share');
    await record(trx, appId, deviceIds, tallies);
  });
}

/** Counts the events of a call by name. @throws {ApiError} for a date too far in the future */
function tally(events: readonly DeviceEvent[], { defaultSource }: RecordOptions, now: Date): EventTally[] {
  const latestMs = now.getTime() + AHEAD_MS_MAX;
  const message = 'must not be more than a day ahead';
  const faults = events.flatMap(({ date }, index) =>
    (date ?? now).getTime() > latestMs ? [{ path: `events[${index}].date`, message }] : [],
  );
  if (faults.length > 0) throw invalidRequest(faults);
  const byName = Map.groupBy(events, ({ name, source }) => {
    const from = source ?? defaultSource;
    return from === null ? name : `${from}.${name}`;
  });
  return Array.from(byName, ([name, all]) => {
    const times = all.map(({ date }) => (date ?? now).getTime());
    const [firstHappenedAt, lastHappenedAt] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
    return { name, count: all.length, firstHappenedAt, lastHappenedAt };
  });
}

async function record(
  trx: Transaction<Database>,
  appId: string,
  deviceIds: readonly string[],
  tallies: readonly EventTally[],
): Promise<void> {
  await addEventTallies(trx, appId, deviceIds, tallies);
  if (await haveMoreEventNames(trx, appId, deviceIds, NAMES_PER_DEVICE_MAX)) {
    const message = `must not give a device more than ${NAMES_PER_DEVICE_MAX} different event names`;
    throw invalidRequest([{ path: 'events', message }]);
  }
}

/**
 * Adds the tallies to each device. Rows are written in a fixed order, so that two calls on the same rows do not
 * deadlock.
 * @param tallies one per name: a statement cannot update a row twice
 */
export async function addEventTallies(
  db: Kysely<Database>,
  appId: string,
  deviceIds: readonly string[],
  tallies: readonly EventTally[],
): Promise<void> {
  const names = tallies.map(({ name }) => name);
  const counts = tallies.map(({ count }) => count);
  const firsts = tallies.map(({ firstHappenedAt }) => firstHappenedAt);
  const lasts = tallies.map(({ lastHappenedAt }) => lastHappenedAt);
  await sql`
    insert into device_events as known (app_id, device_id, name, count, first_happened_at, last_happened_at)
    select ${appId}::uuid, device.id, event.name, event.count, event.first_at, event.last_at
    from unnest(${deviceIds}::uuid[]) as device (id),
      unnest(${names}::text[], ${counts}::bigint[], ${firsts}::timestamptz[], ${lasts}::timestamptz[])
        as event (name, count, first_at, last_at)
    order by device.id, event.name
    on conflict (app_id, device_id, name) do update set
      count = known.count + excluded.count,
      first_happened_at = least(known.first_happened_at, excluded.first_happened_at),
      last_happened_at = greatest(known.last_happened_at, excluded.last_happened_at)`.execute(db);
}

/** Whether one of the devices has more than `namesMax` event names. */
async function haveMoreEventNames(
  db: Kysely<Database>,
  appId: string,
  deviceIds: readonly string[],
  namesMax: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('device_events')
    .select('device_id')
    .where('app_id', '=', appId)
    .where('device_id', '=', anyOf(deviceIds))
    .groupBy('device_id')
    .having((eb) => eb(eb.fn.countAll(), '>', namesMax))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Sorted by device and name. */
export function readEventRows(
  db: Kysely<Database>,
  appId: string,
  deviceIds: readonly string[],
): Promise<Selectable<DeviceEventsTable>[]> {
  return db
    .selectFrom('device_events')
    .selectAll()
    .where('app_id', '=', appId)
    .where('device_id', '=', anyOf(deviceIds))
    .orderBy('device_id')
    .orderBy('name')
    .execute();
}
