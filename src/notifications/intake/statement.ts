/** The text of the statement that stores notifications and their new audiences. It is built once. */

export interface Parts {
  /** Whether any of the notifications has an idempotency key. */
  hasKeys: boolean;
  /** Whether any of them has an audience, which may be new; else all have filters of their own. */
  hasAudiences: boolean;
}

const texts = {
  keys: { audiences: build(true, true), none: build(true, false) },
  none: { audiences: build(false, true), none: build(false, false) },
};

/**
 * @returns the text of a prepared statement. Its parameters are arrays of equal length: the columns of the rows, the columns
 *   of the wanted audiences, and then two times. `store.ts` gives them in that order
 */
export function intakeStatement({ hasKeys, hasAudiences }: Parts): string {
  return texts[hasKeys ? 'keys' : 'none'][hasAudiences ? 'audiences' : 'none'];
}

/**
 * Parameters are scalar subqueries, so that the planner does not see how long the arrays are: with one row it would plan the
 * statement again for each call, which takes longer than to execute it.
 *
 * Every row is looked up by its key in a scalar or lateral subquery. A join or `exists` could keep a plan, made when the
 * table was small, that reads all of it.
 *
 * Locks are taken in the same order by every statement: audiences that exist, keys, audiences whose use is recorded, new
 * audiences, each kind sorted. (Postgres runs what nothing refers to last, and checks foreign keys at the end.)
 */
function build(hasKeys: boolean, hasAudiences: boolean): string {
  const parameter = parameters();
  const rows = columns([
    ['app_id', parameter('uuid[]')],
    ['id', parameter('uuid[]')],
    ['body', parameter('lines')],
    ['created_at', parameter('timestamptz[]')],
    ['due_at', parameter('timestamptz[]')],
    ['request_id', parameter('text[]')],
    ['traceparent', parameter('text[]')],
    ['filters', parameter('lines')],
    ...(hasKeys ? ([['idempotency_key', parameter('text[]')]] as const) : []),
    ...(hasKeys ? ([['body_hash', parameter('bytea[]')]] as const) : []),
    ...(hasAudiences ? ([['audience', parameter('integer[]')]] as const) : []),
  ]);
  const keyIsFree = `where (
      select n.id from notifications as n where n.app_id = r.app_id and n.idempotency_key = r.idempotency_key
    ) is null`;
  const asIs = `created_at, due_at, request_id, traceparent${hasKeys ? ', idempotency_key, body_hash' : ''}`;
  return `
    /* prepared as create_notifications${hasKeys ? '_keys' : ''}${hasAudiences ? '_audiences' : ''} */
    with rows as materialized (
      select * from unnest(${rows.values}) as r (${rows.names}) ${hasKeys ? keyIsFree : ''}
    )${hasAudiences ? audiences(parameter, hasKeys) : ''}
    insert into notifications (app_id, id, audience_id, filters, body, state, ${asIs})
    select app_id, id, ${hasAudiences ? 'ids[audience]' : 'null'}, filters::jsonb, body, 'scheduled', ${asIs}
    from rows${hasAudiences ? ', found' : ''}
    where filters is not null${hasAudiences ? ' or ids[audience] is not null' : ''}
    returning id, audience_id`.trimStart();
}

/** Common table expressions that find or make the audiences; `found` has their ids, in the order of the parameters. */
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
    ), found as materialized (
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
