/**
 * Lists what is due between two moments, for a calendar: scheduled notifications, and waves that wait. Those to one device or
 * one user are only counted. It reads a bounded number of rows and says where it stopped.
 */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import { count, idText, timeText } from '../../api/reply.ts';
import { isScheduled, isWaitingWave } from '../../unended.ts';

const dueReply = z
  .strictObject({
    notification_id: idText,
    kind: z
      .enum(['notification', 'wave'])
      .describe('`wave`: the devices of one moment of a notification that is being sent.'),
    at: timeText.describe('When its first devices are due.'),
    until: timeText.describe(
      'When its last devices are due: later than `at` with `spread_over`, or with `deliver_at_local` before it is planned.',
    ),
    local_time: z
      .string()
      .nullable()
      .describe('The `time` of `deliver_at_local`; null without it, and for a wave.'),
    time_zones: z.array(z.string()).describe('Of a wave: the time zones of its devices.'),
    title: z.string().nullable(),
    alert: z.string().nullable().describe('Both texts without translations, and cut after 200 characters.'),
    audience: z.strictObject({ id: idText, name: z.string() }).meta({ id: 'DueAudience' }),
    devices: count
      .nullable()
      .describe('Of a wave, as planning counted it. Null before planning: count the audience.'),
  })
  .meta({ id: 'DueEntry' });

export const dueListReply = z
  .strictObject({
    due: z.array(dueReply).describe('Sorted by `at`.'),
    single_count: count.describe('Scheduled notifications to one device or user, which are not listed.'),
    searched_until: timeText
      .nullable()
      .describe(
        'If there was too much: what begins before this is listed in full, and not all that begins later. Otherwise null.',
      ),
  })
  .meta({ id: 'DueList' });

export type DueList = z.output<typeof dueListReply>;
type DueEntry = z.output<typeof dueReply>;

const ENTRIES_MAX = 200;
/** The index of scheduled notifications has those of all apps. */
const SEARCHED_MAX = 10_000;
const TEXT_CHARACTERS_MAX = 200;
/** Longer bodies have long translations: their texts are left out, because parsing a megabyte takes 50 ms. */
const BODY_BYTES_MAX = 65_536;
const HOUR_MS = 3_600_000;
/** The clocks of the world are 26 hours apart, and `spread_over` is at most a day. */
const EARLIER_MS = 50 * HOUR_MS;
/** The last clocks of the world are so much behind UTC. */
const LAST_ZONE = '12 hours';

/** What is due at or after `from` and before `to`, and what began before and goes on after `from`. */
interface Range {
  from: Date;
  to: Date;
}

export async function listDue(db: Kysely<Database>, appId: string, range: Range): Promise<DueList> {
  const scheduled = await readScheduled(db, appId, range);
  const waves = await readWaves(db, appId, range);
  const entries = [...scheduled.entries, ...waves].toSorted((left, right) =>
    left.at < right.at ? -1 : Number(left.at > right.at),
  );
  const [cut = null] = [
    scheduled.stoppedAt,
    scheduled.entries[ENTRIES_MAX]?.at,
    waves[ENTRIES_MAX]?.at,
    entries[ENTRIES_MAX]?.at,
  ]
    .filter((at) => at !== undefined)
    .toSorted();
  return { due: entries.slice(0, ENTRIES_MAX), single_count: scheduled.single, searched_until: cut };
}

interface Texts {
  title: string | null;
  alert: string | null;
  audience: DueEntry['audience'];
}

const texts = sql`
  left(case when octet_length(n.body) <= ${sql.lit(BODY_BYTES_MAX)} then n.body::json #>> '{payload,title}' end,
    ${sql.lit(TEXT_CHARACTERS_MAX)}) as title,
  left(case when octet_length(n.body) <= ${sql.lit(BODY_BYTES_MAX)} then n.body::json #>> '{payload,alert}' end,
    ${sql.lit(TEXT_CHARACTERS_MAX)}) as alert,
  (select json_build_object('id', a.id, 'name', a.name) from audiences as a
    where a.app_id = n.app_id and a.id = n.audience_id) as audience`;

async function readScheduled(db: Kysely<Database>, appId: string, { from, to }: Range) {
  const { rows } = await sql<{ rows: ScheduledRow[]; single: number; searched: number; last: Date | null }>`
    with searched as materialized (
      select app_id, id, audience_id, due_at, case when moment is null then due_at else
        greatest(due_at, (moment #>> '{local,time}')::timestamp at time zone 'UTC' + ${LAST_ZONE}::interval)
          + make_interval(secs => (moment ->> 'spreadMs')::float8 / 1000) end as until
      from notifications as n
      where ${isScheduled('n')} and due_at >= ${earlierThan(from)} and due_at < ${to}
      order by due_at limit ${SEARCHED_MAX}
    ), listed as (
      select n.id, found.due_at, found.until, n.moment #>> '{local,time}' as local_time, ${texts}
      from (
        select * from searched where app_id = ${appId} and audience_id is not null and until >= ${from}
        order by due_at, id limit ${ENTRIES_MAX + 1}
      ) as found
      join notifications as n on n.app_id = found.app_id and n.id = found.id
    )
    select (select coalesce(json_agg(listed order by due_at, id), '[]') from listed) as rows,
      (select count(*) from searched where app_id = ${appId} and audience_id is null and until >= ${from}) as single,
      (select count(*) from searched) as searched, (select max(due_at) from searched) as last`.execute(db);
  const { rows: found = [], single = 0, searched = 0, last = null } = rows[0] ?? {};
  const stoppedAt = searched === SEARCHED_MAX ? last?.toISOString() : undefined;
  return { entries: found.map(scheduledEntry), single, stoppedAt };
}

function earlierThan(from: Date): Date {
  return new Date(from.getTime() - EARLIER_MS);
}

interface ScheduledRow extends Texts {
  id: string;
  /** Times as JSON has them. */
  due_at: string;
  until: string;
  local_time: string | null;
}

function scheduledEntry({ id, due_at: dueAt, until, ...rest }: ScheduledRow): DueEntry {
  return {
    notification_id: id,
    kind: 'notification',
    at: new Date(dueAt).toISOString(),
    until: new Date(until).toISOString(),
    time_zones: [],
    devices: null,
    ...rest,
  };
}

interface WaveRow extends Texts {
  id: string;
  due_at: Date;
  spread_ms: number;
  zones: string[];
  devices: number;
}

/** In the order of time, one more than are listed. */
async function readWaves(db: Kysely<Database>, appId: string, { from, to }: Range): Promise<DueEntry[]> {
  const { rows } = await sql<WaveRow>`
    select n.id, w.due_at, w.spread_ms, w.zones, w.devices, ${texts}
    from notification_waves as w
    join notifications as n on n.app_id = w.app_id and n.id = w.notification_id
    where ${isWaitingWave('w')} and w.action = 'send' and w.app_id = ${appId}
      and w.due_at >= ${earlierThan(from)} and w.due_at < ${to}
      and w.due_at + make_interval(secs => w.spread_ms / 1000.0) >= ${from} and n.state = 'sending' and n.audience_id is not null
    order by w.due_at, w.notification_id, w.wave
    limit ${ENTRIES_MAX + 1}`.execute(db);
  return rows.map(({ id, due_at: dueAt, spread_ms: spreadMs, zones, devices, title, alert, audience }) => ({
    notification_id: id,
    kind: 'wave',
    at: dueAt.toISOString(),
    until: new Date(dueAt.getTime() + spreadMs).toISOString(),
    local_time: null,
    time_zones: zones.toSorted(),
    title,
    alert,
    audience,
    devices,
  }));
}
