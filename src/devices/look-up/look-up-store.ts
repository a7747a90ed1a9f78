/** The statement that finds devices by a text. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Database } from '../../db/tables.ts';
import { isUuid } from '../../uuid.ts';

/** The ways to find a device, the most certain one first. */
export const lookUpMatches = [
  'id',
  'push_token',
  'retired_push_token',
  'user_id',
  'user_email',
  'user_id_prefix',
] as const;
export type LookUpMatch = (typeof lookUpMatches)[number];

export interface FoundDevice {
  id: string;
  match: LookUpMatch;
}

/** How many entries of the index of users a search for a prefix reads: at most this number times `limit`. */
const PREFIX_WINDOW = 4;

/**
 * Each branch reads at most a few times `limit` entries of an index. The order of `devices_user` depends on the
 * database's collation, which may put other user ids between the ids with a prefix; so a window of the index is read
 * from the prefix on, and filtered. The window spans all apps, because the planner assumes that an app is small and
 * would sort all its users.
 * @returns at most `limit` devices for each way to find them; one device may be found in several ways
 */
export async function findDevices(
  db: Kysely<Database>,
  { appId, query, tokenKey, limit }: { appId: string; query: string; tokenKey: TokenKey; limit: number },
): Promise<FoundDevice[]> {
  // iOS tokens are stored in lower case.
  const tokens = [...new Set([query, query.toLowerCase()])];
  const hashes = tokens.map((token) => tokenKey.hash(token));
  const branches: RawBuilder<FoundDevice>[] = [
    sql`select id, 'push_token' as match from devices where app_id = ${appId} and push_token = any (${tokens}::text[])`,
    sql`select device_id, 'retired_push_token' from retired_tokens where app_id = ${appId} and token_hash = any (${hashes}::bytea[])`,
    sql`(select id, 'user_id' from devices where app_id = ${appId} and user_id = ${query} limit ${limit})`,
    sql`(select id, 'user_email' from devices where app_id = ${appId} and user_email = ${query} limit ${limit})`,
    sql`(
      select id, 'user_id_prefix' from (
        select app_id, id, user_id from devices
        where (app_id, user_id) >= (${appId}::uuid, ${query}) and user_id is not null
        order by app_id, user_id limit ${limit * PREFIX_WINDOW}
      ) as nearby
      where app_id = ${appId} and starts_with(user_id, ${query}) and user_id <> ${query}
      order by user_id limit ${limit}
    )`,
  ];
  if (isUuid(query)) {
    branches.unshift(sql`select id, 'id' as match from devices where app_id = ${appId} and id = ${query}`);
  }
  const { rows } = await sql<FoundDevice>`${sql.join(branches, sql` union all `)}`.execute(db);
  return rows;
}

/** @returns when the device with this id was erased; undefined if it was not erased */
export async function readErasure(
  db: Kysely<Database>,
  appId: string,
  id: string,
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('erased_devices')
    .select('erased_at')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.erased_at;
}
