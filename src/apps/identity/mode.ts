/**
 * Whether an app demands that its phones prove their user, and what that means for its devices. After a switch to
 * `required`, `devices/proof/unverified-users.ts` removes the users that nobody vouched for.
 */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { invalidRequest } from '../../api/errors.ts';
import { count, timeText } from '../../api/reply.ts';
import type { Author } from '../../audit/author.ts';
import { inTransaction, recordChange } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { FIRST_UUID } from '../../uuid.ts';
import { algorithms } from './key.ts';

export const identityModes = ['off', 'report', 'required'] as const;
export type IdentityMode = (typeof identityModes)[number];

const MODE_RULE = `must be one of ${identityModes.join(', ')}`;

export const identityBody = z
  .strictObject({
    identity: z
      .strictObject({
        mode: z
          .enum(identityModes, MODE_RULE)
          .describe(
            '`off`: user tokens are not looked at. `report`: calls without a good one are accepted and counted. `required`: they are refused.',
          ),
      })
      .meta({ id: 'IdentityChange' }),
  })
  .meta({ id: 'SetIdentity' });

export const identityReply = z
  .strictObject({
    identity: z
      .strictObject({
        mode: z.enum(identityModes),
        keys: z.array(
          z
            .strictObject({
              key_id: z.string().describe('The `kid` in the header of a token.'),
              algorithm: z.enum(algorithms),
              created_at: timeText,
            })
            .meta({ id: 'IdentityKey' }),
        ),
        devices: z
          .strictObject({
            sampled: count.describe('The number of devices that were looked at, at most 10,000.'),
            with_user: count.describe('Of these, those with a `user_id` or `user_email`.'),
            verified: count.describe('Of those, the ones whose user was verified.'),
          })
          .meta({ id: 'VerifiedDevices' })
          .describe('A random sample of the devices. With `required`, those not verified lose their user.'),
      })
      .meta({ id: 'Identity' }),
  })
  .meta({ id: 'ReadIdentity' });

export type IdentityJson = z.output<typeof identityReply>['identity'];

/** Ids of devices are random, so the first ones are a random sample. */
const SAMPLE_MAX = 10_000;

export async function readIdentity(db: Kysely<Database>, appId: string): Promise<IdentityJson> {
  const { mode } = await db
    .selectFrom('apps')
    .select('identity_mode as mode')
    .where('id', '=', appId)
    .executeTakeFirstOrThrow();
  const keys = await db
    .selectFrom('identity_keys')
    .select(['key_id', 'algorithm', 'created_at'])
    .where('app_id', '=', appId)
    .orderBy('created_at', 'desc')
    .orderBy('key_id')
    .execute();
  const { rows } = await sql<IdentityJson['devices']>`
    select count(*) as sampled, count(*) filter (where named) as with_user, count(*) filter (where named and verified) as verified
    from (
      select (user_id is not null or user_email is not null) as named, user_verified_at is not null as verified
      from devices where app_id = ${appId} order by id limit ${SAMPLE_MAX}
    ) as sample`.execute(db);
  return {
    mode,
    keys: keys.map(({ key_id, algorithm, created_at: at }) => ({
      key_id,
      algorithm,
      created_at: at.toISOString(),
    })),
    devices: rows[0] ?? { sampled: 0, with_user: 0, verified: 0 },
  };
}

/**
 * Other processes follow within two seconds.
 * @throws {ApiError} `invalid_request` for `required` without a key: it would refuse every user
 */
export async function setIdentityMode(
  db: Kysely<Database>,
  appId: string,
  mode: IdentityMode,
  clock: Clock,
  author: Author,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const { before } = await transaction
      .selectFrom('apps')
      .select('identity_mode as before')
      .where('id', '=', appId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    if (before === mode) return;
    const key = await transaction
      .selectFrom('identity_keys')
      .select('key_id')
      .where('app_id', '=', appId)
      .executeTakeFirst();
    if (mode === 'required' && key === undefined) {
      throw invalidRequest([{ path: 'identity.mode', message: 'needs a key: store one first' }]);
    }
    const checkedTo = mode === 'required' ? FIRST_UUID : null;
    await transaction
      .updateTable('apps')
      .set({ identity_mode: mode, identity_set_at: clock(), identity_checked_to: checkedTo })
      .where('id', '=', appId)
      .execute();
    const change = { before: { mode: before }, after: { mode } };
    await recordChange(transaction, author, { appId, action: 'app.identity_set', ...change }, clock);
  });
}
