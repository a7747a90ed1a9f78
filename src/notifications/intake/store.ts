/** Stores notifications, one or many, with the audiences that are new, by one statement. It also claims some of them. */
import { randomUUIDv7 } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { SENDING_APP_AS_JSON, type SendingApp } from '../../apps/sending-app.ts';
import { nameOf } from '../../audiences/find-or-create.ts';
import { usedBefore } from '../../audiences/audience-store.ts';
import { preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { CAN_BE_SENT, DEVICES_AS_JSON, DEVICES_BY_KEY, devicesOf } from '../../targeting/devices-by-key.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import type { Line } from './line.ts';

export interface StoredRow {
  /** Null if the notification has filters of its own. */
  audienceId: string | null;
  /** The devices of a notification that was claimed, sorted by id. Undefined: it was not claimed. */
  devices: readonly MatchingDevice[] | undefined;
}

export interface StoredLines {
  /** By the id of the notification. */
  rows: ReadonlyMap<string, StoredRow>;
  /** The apps of the claimed notifications, by id. */
  apps: ReadonlyMap<string, SendingApp>;
}

interface ReadyRow {
  id: string;
  audience_id: string | null;
  /** JSON; null if it was not claimed. */
  devices: string | null;
  /** Null if the row is a notification. */
  app: SendingApp | null;
}

/**
 * Stores the lines: all of them with their audiences or, if it throws, nothing. It leaves out lines whose idempotency key is
 * used, and lines whose stored audience the app does not have. An existing audience is locked until the end of the
 * transaction, so that it cannot be deleted (`audiences/delete.ts`).
 *
 * Every row is looked up by its key in a scalar or lateral subquery. A join or `exists` could keep a plan, made when the table
 * was small, that reads all of it.
 *
 * Locks are taken in the same order by every statement: audiences that exist, then those of the common table expressions that
 * nothing refers to, which Postgres runs last, in their order, each in the order of its rows. It checks foreign keys at the end.
 * @param lines with different idempotency keys
 * @param claimedAt identifies the claims
 * @throws {DatabaseError} also if another transaction uses the same key, or makes the same audience, at the same time
 */
export async function storeLines(
  db: Kysely<Database>,
  lines: readonly Line[],
  claimedAt: Date,
): Promise<StoredLines> {
  const audiences = wantedAudiences(lines);
  const now = new Date(Math.max(...lines.map(({ row }) => row.created_at.getTime())));
  const name = audiences.size === 0 ? 'create_notifications' : 'create_notifications_and_audiences';
  const { rows } = await sql<ReadyRow>`${preparedAs(name)}
    with line as materialized (
      select * from json_to_recordset(${linesJson(lines, audiences)}) as line (
        app_id uuid, id uuid, filters text, body text, encrypted_body bytea, moment text, created_at timestamptz, due_at timestamptz,
        request_id text, traceparent text, made_by uuid, idempotency_key text, body_hash bytea, audience int,
        devices_max int, device_ids uuid[], user_ids text[],
        activity_id text, activity_event text, activity_device uuid, recipients text[]
      )
      where idempotency_key is null or (
        select n.id from notifications as n where n.app_id = line.app_id and n.idempotency_key = line.idempotency_key
      ) is null
    ), ${audienceTables(audiences, now)}, ready as materialized (
      select wanted.*, ids[audience] as audience_id, found.count, found.devices
      from line as wanted cross join audience
      -- One to no device is not claimed: it has to end by an update, which announces its end to webhooks.
      left join lateral (
        select found.count, found.devices
        from (select ${sql.raw(DEVICES_AS_JSON)} from (${sql.raw(DEVICES_BY_KEY)}) as device) as found
        where wanted.devices_max is not null and found.count > 0 and ${sql.raw(CAN_BE_SENT)}
      ) as found on true
      where filters is not null or ids[audience] is not null
    ), stored as (
      insert into notifications (
        app_id, id, audience_id, filters, body, encrypted_body, moment, created_at, due_at,
        request_id, traceparent, made_by, idempotency_key, body_hash,
        state, devices, started_at -- of a claim, as when a worker claims it
      )
      select app_id, id, audience_id, filters::jsonb, body, encrypted_body, moment::jsonb, created_at, due_at,
        request_id, traceparent, made_by, idempotency_key, body_hash,
        case when count is null then 'scheduled' else 'sending' end, coalesce(count, 0),
        case when count is not null then ${claimedAt}::timestamptz end
      from ready
    ), stored_activity as (
      insert into activity_pushes (app_id, activity_id, event, created_at, notification_id, device_id)
      select app_id, activity_id, activity_event, created_at, id, activity_device from ready where activity_id is not null
    ), stored_recipients as (
      insert into notifications_by_recipient (recipient_day, created_at, notification_id)
      select recipient_day(recipient_number(app_id, recipient), day_number(created_at)), created_at, id
      from ready cross join unnest(recipients) as recipient
    )
    select id, audience_id, devices, null::json as app from ready
    union all
    select apps.id, null, null, ${sql.raw(SENDING_APP_AS_JSON)}
    from apps where apps.id = any (array(select distinct app_id from ready where count is not null))`.execute(
    db,
  );
  const stored = new Map<string, StoredRow>();
  const apps = new Map<string, SendingApp>();
  for (const { id, audience_id: audienceId, devices, app } of rows) {
    if (app === null)
      stored.set(id, { audienceId, devices: devices === null ? undefined : devicesOf(devices) });
    else apps.set(id, app);
  }
  return { rows: stored, apps };
}

/**
 * Finds or makes the audiences: the common table expression `audience` has their ids, by number. Many pushes to
 * single devices or users have none: without these tables, Postgres takes 5 µs less for each push of 16.
 */
function audienceTables(audiences: ReadonlyMap<string, Line>, now: Date): RawBuilder<unknown> {
  if (audiences.size === 0) return sql`audience as materialized (select null::uuid[] as ids)`;
  return sql`wanted_audience as materialized (
      select w.*, coalesce(same.id, case when stored.deleted_at is null then stored.id end) as known_id,
        coalesce(same.last_used_at, stored.last_used_at) as last_used_at
      from json_to_recordset(${audiencesJson(audiences)}) as w (
        number int, app_id uuid, stored_id uuid,
        new_id uuid, fingerprint bytea, kind text, name text, filters text, created_at timestamptz
      )
      left join lateral (
        select a.id, a.last_used_at from audiences as a
        where a.app_id = w.app_id and a.fingerprint = w.fingerprint and a.kind <> 'named'
        for key share
      ) as same on true
      left join lateral (
        select a.id, a.last_used_at, a.deleted_at from audiences as a
        where a.app_id = w.app_id and a.id = w.stored_id
        for key share
      ) as stored on true
    ), audience as materialized (
      select array(select coalesce(known_id, new_id) from wanted_audience order by number) as ids
    ), created_audience as (
      insert into audiences (app_id, id, kind, name, filters, fingerprint, created_at, updated_at, last_used_at)
      select app_id, new_id, kind, name, filters::jsonb, fingerprint, created_at, created_at, created_at
      from wanted_audience
      where known_id is null and new_id is not null and number in (select audience from line)
      on conflict (app_id, fingerprint) where kind <> 'named' do nothing
    ), used_audience as (
      update audiences set last_used_at = ${now}
      where app_id = any (array(select app_id from wanted_audience where last_used_at < ${usedBefore(now)}))
        and id = any (array(select known_id from wanted_audience where last_used_at < ${usedBefore(now)}))
        and last_used_at < ${usedBefore(now)}
    )`;
}

/** The audiences that the lines refer to, each once, sorted: by name, with a line that refers to it. */
function wantedAudiences(lines: readonly Line[]): ReadonlyMap<string, Line> {
  const wanted = new Map<string, Line>();
  for (const line of lines) {
    const name = audienceName(line);
    if (name !== undefined && !wanted.has(name)) wanted.set(name, line);
  }
  return new Map([...wanted].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same text for lines with the same audience; undefined if it has none. */
function audienceName({ row, selection }: Line): string | undefined {
  if (selection.kind === 'specified') return `${row.app_id}/${selection.specification.fingerprint}`;
  return selection.kind === 'stored' ? `${row.app_id}/${selection.audienceId}` : undefined;
}

function linesJson(lines: readonly Line[], audiences: ReadonlyMap<string, Line>): string {
  const numbers = new Map([...audiences.keys()].map((name, index) => [name, index + 1]));
  return JSON.stringify(
    lines.toSorted(byKey).map((line) => recordOf(line, numbers.get(audienceName(line) ?? ''))),
  );
}

/** Fields that a line does not have are left out; Postgres reads them as null. */
function recordOf(
  { row, selection, recipients, idempotency, claim, activity }: Line,
  audience: number | undefined,
) {
  return {
    ...row,
    encrypted_body: row.encrypted_body && byteaOf(row.encrypted_body.toString('hex')),
    audience,
    filters: selection.kind === 'own' ? selection.filters : undefined,
    idempotency_key: idempotency?.key,
    body_hash: idempotency && byteaOf(idempotency.bodyHash.toString('hex')),
    devices_max: claim?.devicesMax,
    device_ids: claim?.deviceIds,
    user_ids: claim?.userIds,
    activity_id: activity?.activityId,
    activity_event: activity?.event,
    activity_device: activity?.deviceId,
    recipients,
  };
}

/** @param audiences each with a line that refers to it */
function audiencesJson(audiences: ReadonlyMap<string, Line>): string {
  return JSON.stringify([...audiences.values()].map((line, index) => audienceOf(line, index + 1)));
}

function audienceOf({ row: { app_id, created_at }, selection }: Line, number: number) {
  const wanted = { number, app_id, created_at };
  if (selection.kind === 'stored') return { ...wanted, stored_id: selection.audienceId };
  if (selection.kind !== 'specified') return wanted;
  const { specification } = selection;
  const { kind, filters, fingerprint } = specification;
  const id = randomUUIDv7();
  const name = nameOf(specification, id);
  return { ...wanted, new_id: id, kind, name, filters, fingerprint: byteaOf(fingerprint) };
}

function byteaOf(hex: string): string {
  return `\\x${hex}`;
}

/** The order of the unique index on keys, in which all statements insert. */
function byKey(left: Line, right: Line): number {
  const [a, b] = [left.idempotency?.key ?? '', right.idempotency?.key ?? ''];
  return compare(a, b) || compare(left.row.app_id, right.row.app_id);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
