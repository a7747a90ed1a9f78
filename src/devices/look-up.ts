/** Looks devices up by a text of any kind, as a person pastes it. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { TokenKey, TokenKeys } from '../apps/token-keys.ts';
import type { Database } from '../db/tables.ts';
import { parseBy, text } from '../api/parse.ts';
import { timeText } from '../api/reply.ts';
import { isUuid } from '../uuid.ts';
import { deviceReply } from './device.ts';
import { firstThatFit, readDevices } from './read.ts';
import { readErasure } from './store.ts';

/** The ways to find a device, the most certain one first. */
const lookUpMatches = [
  'id',
  'push_token',
  'retired_push_token',
  'user_id',
  'user_email',
  'user_id_prefix',
] as const;
type LookUpMatch = (typeof lookUpMatches)[number];

interface FoundDevice {
  id: string;
  match: LookUpMatch;
}

/** The longest push token of Android. */
const QUERY_CHARACTERS_MAX = 2_048;
export const LOOK_UP_DEVICES_MAX = 50;

export const lookUpBody = z
  .strictObject({
    query: text(QUERY_CHARACTERS_MAX, 1).describe(
      'The id of a device, a push token, a user id or its beginning, or an e-mail address.',
    ),
  })
  .meta({ id: 'LookUpDevices' });

export const lookUpReply = z
  .strictObject({
    devices: z.array(
      z
        .strictObject({
          match: z
            .enum(lookUpMatches)
            .describe(
              'How the device was found. `retired_push_token`: it once had this token; now it has another one, or none.',
            ),
          device: deviceReply,
        })
        .meta({ id: 'FoundDevice' }),
    ),
    more: z
      .boolean()
      .describe(`Whether there are more devices than these: at most ${LOOK_UP_DEVICES_MAX} are returned.`),
    erased_at: timeText.nullable().describe('If `query` is the id of an erased device: when it was erased.'),
  })
  .meta({ id: 'FoundDevices' });

/** `{"query": "…"}` @throws {ApiError} `invalid_request` */
export function parseLookUpBody(body: unknown): string {
  return parseBy(lookUpBody, body).query;
}

/**
 * All kinds of text are tried at once, because a text may be of several kinds: many apps use UUIDs as user ids. The
 * more certain matches come first.
 */
export async function lookUpDevices(
  db: Kysely<Database>,
  tokenKeys: TokenKeys,
  appId: string,
  query: string,
): Promise<z.output<typeof lookUpReply>> {
  const limit = LOOK_UP_DEVICES_MAX + 1;
  const found = await findDevices(db, { appId, query, tokenKey: await tokenKeys.of(appId), limit });
  const matchOf = new Map<string, LookUpMatch>();
  for (const { id, match } of found.sort(byCertainty)) {
    if (!matchOf.has(id)) matchOf.set(id, match);
  }
  const shown = await firstThatFit(db, appId, [...matchOf.keys()].slice(0, LOOK_UP_DEVICES_MAX));
  const devices = await readDevices(db, appId, shown);
  const erasedAt = isUuid(query) ? await readErasure(db, appId, query) : undefined;
  return {
    devices: devices.map((device) => ({ match: matchOf.get(device.id) ?? 'id', device })),
    more: matchOf.size > shown.length,
    erased_at: erasedAt?.toISOString() ?? null,
  };
}

function byCertainty(left: FoundDevice, right: FoundDevice): number {
  return lookUpMatches.indexOf(left.match) - lookUpMatches.indexOf(right.match);
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
async function findDevices(
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
