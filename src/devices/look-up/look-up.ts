/** Looks devices up by a text of any kind, as a person pastes it. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { TokenKeys } from '../../apps/token-keys.ts';
import type { Database } from '../../db/tables.ts';
import { parseBy, text } from '../../api/parse.ts';
import { timeText } from '../../api/reply.ts';
import { isUuid } from '../../uuid.ts';
import { deviceReply } from '../device.ts';
import { firstThatFit, readDevices } from '../read.ts';
import {
  findDevices,
  type FoundDevice,
  type LookUpMatch,
  lookUpMatches,
  readErasure,
} from './look-up-store.ts';

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
