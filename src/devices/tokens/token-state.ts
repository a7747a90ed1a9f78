/** The push token of a device for support staff: whether it has one, and the tokens that it has lost. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import { pushTokenTypes, routes, routeTo } from '../../route.ts';
import { timeText } from '../../api/reply.ts';
import { assertDeviceId, noSuchDevice } from '../device-errors.ts';
import { selectDevice } from '../store.ts';
import { OF_ANOTHER_ENVIRONMENT, REPLACED } from './token-store.ts';

/** A device that registers a new token at each start must not make the reply long. */
const RETIRED_MAX = 20;

const tokenType = z.enum(pushTokenTypes);

const retiredToken = z
  .strictObject({
    push_token_type: tokenType,
    reason: z
      .string()
      .describe(
        'The code with which the gateway reported the token dead; `replaced` if the device got another token.',
      ),
    retired_at: timeText,
    presented_at: timeText.nullable().describe('When the app last sent the token.'),
    kept: z
      .boolean()
      .describe(
        'Whether the token is still kept, encrypted, and can be given back. A token that a gateway reported dead is kept for 30 days.',
      ),
  })
  .meta({ id: 'RetiredPushToken' });

export const tokenStateReply = z
  .strictObject({
    state: z
      .enum(['live', 'set_aside', 'retired', 'none'])
      .describe(
        '`live`: the device has a push token. `set_aside`: Apple did not know its token in this environment; it comes back when ' +
          '`development` changes. `retired`: a gateway reported its token dead. `none`: the token moved to another device, or ' +
          'its retirement is no longer known.',
      ),
    route: z.enum(routes).describe('The gateway and environment through which pushes reach the device.'),
    push_token_type: tokenType.nullable().describe('Null if the device has no token.'),
    presented_at: timeText.nullable().describe('When the app last sent the current token.'),
    retired: z
      .array(retiredToken)
      .describe(`The tokens that the device has lost, newest first, at most ${RETIRED_MAX}.`),
  })
  .meta({ id: 'PushTokenState' });

export type TokenState = z.output<typeof tokenStateReply>;

/** @throws {ApiError} `not_found`, also for an erased device */
export async function readTokenState(db: Kysely<Database>, appId: string, id: string): Promise<TokenState> {
  assertDeviceId(id);
  const [device, retired] = await Promise.all([
    selectDevice(db, appId, id)
      .select(['platform', 'development', 'push_token_type', 'token_registered_at'])
      .select((eb) => eb('push_token', 'is not', null).as('has_token'))
      .executeTakeFirst(),
    db
      .selectFrom('retired_tokens')
      .select(['push_token_type', 'reason', 'retired_at', 'presented_at'])
      .select((eb) => eb('encrypted_token', 'is not', null).as('kept'))
      .where('app_id', '=', appId)
      .where('device_id', '=', id)
      .orderBy('retired_at', 'desc')
      .limit(RETIRED_MAX)
      .execute(),
  ]);
  if (device === undefined) throw noSuchDevice();
  const lost = retired.map((token) => ({
    push_token_type: token.push_token_type,
    reason: token.reason,
    retired_at: token.retired_at.toISOString(),
    presented_at: token.presented_at?.toISOString() ?? null,
    kept: Boolean(token.kept),
  }));
  const hasToken = Boolean(device.has_token);
  return {
    state: hasToken ? 'live' : stateWithoutToken(lost),
    route: routeTo(device),
    push_token_type: hasToken ? device.push_token_type : null,
    presented_at: hasToken ? (device.token_registered_at?.toISOString() ?? null) : null,
    retired: lost,
  };
}

function stateWithoutToken(lost: TokenState['retired']): TokenState['state'] {
  const reported = lost.filter(({ reason }) => reason !== REPLACED);
  if (reported.some(({ reason, kept }) => reason === OF_ANOTHER_ENVIRONMENT && kept)) return 'set_aside';
  return reported.length > 0 ? 'retired' : 'none';
}
