/** The names that changed objects have now, for people who read the log. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { isUuid } from '../uuid.ts';

const NAME_CHARACTERS_MAX = 200;
/** Longer bodies have long translations, which take long to parse. */
const BODY_BYTES_MAX = 65_536;

/**
 * Each is read by its primary key.
 * @param entries the action of each says of which kind its object is
 * @returns by id: the title of a notification, the user and model of a device, the name of an audience, a key or a user. Objects
 *   that are gone, or have no name, are missing
 */
export async function readObjectNames(
  db: Kysely<Database>,
  appId: string,
  entries: readonly { action: string; object_id: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const named = entries.flatMap(({ action, object_id: id }) =>
    id !== null && isUuid(id) ? [{ id, kind: action.split('.')[0] ?? '' }] : [],
  );
  if (named.length === 0) return new Map();
  const { rows } = await sql<{ id: string; name: string | null }>`
    select o.id, left(case o.kind
      when 'notification' then (
        select coalesce(n.body::json #>> '{payload,title}', n.body::json #>> '{payload,alert}') from notifications as n
        where n.app_id = ${appId} and n.id = o.id and octet_length(n.body) <= ${BODY_BYTES_MAX})
      when 'device' then (
        select concat_ws(' · ', d.user_id, coalesce(d.marketing_name, d.platform)) from devices as d
        where d.app_id = ${appId} and d.id = o.id)
      when 'audience' then (select a.name from audiences as a where a.app_id = ${appId} and a.id = o.id)
      when 'key' then (select k.name from api_keys as k where k.app_id = ${appId} and k.id = o.id)
      when 'console_user' then (select u.name from console_users as u where u.id = o.id)
    end, ${NAME_CHARACTERS_MAX}) as name
    from (
      select distinct * from unnest(${named.map(({ kind }) => kind)}::text[], ${named.map(({ id }) => id)}::uuid[]) as o (kind, id)
    ) as o`.execute(db);
  return new Map(rows.flatMap(({ id, name }) => (name === null || name === '' ? [] : [[id, name] as const])));
}
