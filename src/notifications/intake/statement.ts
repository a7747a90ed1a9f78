/** The text of the statement that stores notifications and their new audiences, and claims some of them. It is built once. */
import { SENDING_APP_AS_JSON } from '../../apps/sending-app.ts';
import { CAN_BE_SENT, DEVICES_AS_JSON, DEVICES_BY_KEY } from '../../targeting/devices-by-key.ts';

export interface Parts {
  /** Whether any of the notifications has an idempotency key. */
  hasKeys: boolean;
  /** Whether any of them has an audience, which may be new; else all have filters of their own. */
  hasAudiences: boolean;
  /** Whether the devices of any of them are due at different moments. */
  hasMoments: boolean;
  /** Whether any of them may be claimed. */
  hasClaims: boolean;
  /** Whether any of them updates or ends a Live Activity. */
  hasActivities: boolean;
}

const texts = new Map<string, string>();

/**
 * @returns the text of a prepared statement. Its parameters are arrays of equal length: the columns of the rows, the columns
 *   of the wanted audiences and two times, and then the time of the claims. `store.ts` gives them in that order. Its rows are
 *   those of the notifications that were stored (id, audience_id, devices), and of the apps of the claimed ones (id, app)
 */
export function intakeStatement(parts: Parts): string {
  const name = nameOf(parts);
  const known = texts.get(name);
  if (known !== undefined) return known;
  const text = build(name, parts);
  texts.set(name, text);
  return text;
}

function nameOf({ hasKeys, hasAudiences, hasMoments, hasClaims, hasActivities }: Parts): string {
  const ends = [
    hasKeys && '_keys',
    hasAudiences && '_audiences',
    hasMoments && '_moments',
    hasClaims && '_claims',
    hasActivities && '_activities',
  ];
  return `create_notifications${ends.filter((end) => end !== false).join('')}`;
}

/**
 * Parameters are scalar subqueries, so that the planner does not see how long the arrays are: with one row it would plan the
 * statement again for each call, which takes longer than to execute it.
 *
 * Every row is looked up by its key in a scalar or lateral subquery. A join or `exists` could keep a plan, made when the
 * table was small, that reads all of it.
 *
 * Locks are taken in the same order by every statement: audiences that exist, then those of the common table expressions
 * that nothing refers to, which Postgres runs last, in their order. It checks foreign keys at the end.
 */
function build(name: string, { hasKeys, hasAudiences, hasMoments, hasClaims, hasActivities }: Parts): string {
  const parameter = parameters();
  const rows = columns([
    ['app_id', parameter('uuid[]')],
    ['id', parameter('uuid[]')],
    ['body', parameter('lines')],
    ['created_at', parameter('timestamptz[]')],
    ['due_at', parameter('timestamptz[]')],
    ['request_id', parameter('text[]')],
    ['traceparent', parameter('text[]')],
    ['made_by', parameter('uuid[]')],
    ['filters', parameter('lines')],
    ...(hasKeys ? ([['idempotency_key', parameter('text[]')]] as const) : []),
    ...(hasKeys ? ([['body_hash', parameter('bytea[]')]] as const) : []),
    ...(hasMoments ? ([['moment', parameter('lines')]] as const) : []),
    ...(hasClaims
      ? ([
          ['devices_max', parameter('integer[]')],
          ['device_id', parameter('uuid[]')],
          ['user_id', parameter('text[]')],
        ] as const)
      : []),
    ...(hasActivities
      ? ([
          ['activity_id', parameter('text[]')],
          ['activity_event', parameter('text[]')],
          ['activity_device', parameter('uuid[]')],
        ] as const)
      : []),
    ...(hasAudiences ? ([['audience', parameter('integer[]')]] as const) : []),
  ]);
  const keyIsFree = `where (
      select n.id from notifications as n where n.app_id = r.app_id and n.idempotency_key = r.idempotency_key
    ) is null`;
  const asIs = `created_at, due_at, request_id, traceparent, made_by${hasKeys ? ', idempotency_key, body_hash' : ''}`;
  const audienceId = hasAudiences ? 'ids[audience]' : 'null::uuid';
  const audienceParts = hasAudiences ? audiences(parameter, hasKeys) : '';
  const now = hasClaims ? parameter('timestamptz') : '';
  return `
    /* prepared as ${name} */
    with rows as materialized (
      select * from unnest(${rows.values}) as r (${rows.names}) ${hasKeys ? keyIsFree : ''}
    )${audienceParts}, ready as materialized (
      select wanted.*, ${audienceId} as audience_id${hasClaims ? ', found.count, found.devices' : ''}
      from rows as wanted${hasAudiences ? ' cross join found_audiences' : ''}${hasClaims ? claimable : ''}
      where wanted.filters is not null${hasAudiences ? ' or ids[audience] is not null' : ''}
    ), stored as (
      insert into notifications (app_id, id, audience_id, filters, body, state, ${asIs}${hasMoments ? ', moment' : ''}${
        hasClaims ? claimColumns : ''
      })
      select app_id, id, audience_id, filters::jsonb, body, ${hasClaims ? claimState : `'scheduled'`},
        ${asIs}${hasMoments ? ', moment::jsonb' : ''}${hasClaims ? claimValues(now) : ''}
      from ready
    )${hasActivities ? activityPushes : ''}
    select id, audience_id, ${hasClaims ? 'devices' : 'null as devices'}, null::json as app
    from ready${hasClaims ? claimingApps : ''}`.trimStart();
}

/**
 * Joins the devices of the notifications that may be claimed (`devices_max` is not null) and can be sent. One to no device is not
 * claimed: it has to end by an update, which announces its end to webhooks.
 */
const claimable = `
      left join lateral (
        select found.count, found.devices
        from (select ${DEVICES_AS_JSON} from (${DEVICES_BY_KEY}) as device) as found
        where wanted.devices_max is not null and found.count > 0 and ${CAN_BE_SENT}
      ) as found on true`;

/** Postgres checks the foreign key to the notification at the end of the statement. */
const activityPushes = `, activity_pushes as (
      insert into activity_pushes (app_id, activity_id, event, created_at, notification_id, device_id)
      select app_id, activity_id, activity_event, created_at, id, activity_device from ready where activity_id is not null
    )`;

const claimingApps = `
    union all
    select apps.id, null, null, ${SENDING_APP_AS_JSON}
    from apps where apps.id = any (array(select distinct app_id from ready where count is not null))`;

/** As `claimByKey` sets them (`delivery/start/direct-store.ts`). */
const claimColumns = ', devices, started_at';
const claimState = `case when count is null then 'scheduled' else 'sending' end`;

function claimValues(now: string): string {
  return `, coalesce(count, 0), case when count is not null then ${now} end`;
}

/** Common table expressions that find or make the audiences; `found_audiences` has their ids, in the order of the parameters. */
function audiences(parameter: Parameter, hasKeys: boolean): string {
  const wanted = columns([
    ['app_id', parameter('uuid[]')],
    ['stored_id', parameter('uuid[]')],
    ['new_id', parameter('uuid[]')],
    ['fingerprint', parameter('bytea[]')],
    ['kind', parameter('text[]')],
    ['name', parameter('text[]')],
    ['filters', parameter('lines')],
    ['created_at', parameter('timestamptz[]')],
  ]);
  const now = parameter('timestamptz');
  const usedBefore = parameter('timestamptz');
  const notUsedToday = `from wanted where last_used_at < ${usedBefore}`;
  return `, wanted as materialized (
      select w.*, coalesce(same.id, case when stored.deleted_at is null then stored.id end) as known_id,
        coalesce(same.last_used_at, stored.last_used_at) as last_used_at
      from unnest(${wanted.values}) with ordinality as w (${wanted.names}, position)
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
    ), found_audiences as materialized (
      select array(select coalesce(known_id, new_id) from wanted order by position) as ids
    ), created as (
      insert into audiences
        (app_id, id, kind, name, filters, fingerprint, created_at, updated_at, last_used_at)
      select app_id, new_id, kind, name, filters::jsonb, fingerprint, created_at, created_at, created_at
      from wanted
      where known_id is null and new_id is not null
        ${hasKeys ? 'and position in (select audience from rows)' : ''}
      on conflict (app_id, fingerprint) where kind <> 'named' do nothing
    ), used as (
      update audiences set last_used_at = ${now}
      where app_id = any (array(select app_id ${notUsedToday}))
        and id = any (array(select known_id ${notUsedToday})) and last_used_at < ${usedBefore}
    )`;
}

/** `lines`: texts without line breaks, joined by them; an empty one is null. Needs no quotes, unlike an array. */
type Parameter = (
  type: 'uuid[]' | 'text[]' | 'bytea[]' | 'integer[]' | 'timestamptz[]' | 'timestamptz' | 'lines',
) => string;

function parameters(): Parameter {
  let used = 0;
  return (type) => {
    used++;
    const value = type === 'lines' ? `string_to_array($${used}, E'\\n', '')` : `$${used}::${type}`;
    return `(select ${value})`;
  };
}

function columns(pairs: readonly (readonly [string, string])[]): { names: string; values: string } {
  return {
    names: pairs.map(([name]) => name).join(', '),
    values: pairs.map(([, value]) => value).join(', '),
  };
}
