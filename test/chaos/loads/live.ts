/** What shows a state, of which the newest counts: a Live Activity that thousands follow, broadcasts on channels. */
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { insertDevices } from '../../support/simulated-app.ts';
import { type Account, callUntilAnswered, ENDS_WITHIN_MS, type Load, untilAnswered } from '../load.ts';
import type { Stage } from '../stage.ts';

const DEVICES = 4_000;
const CHANNELS = 50;
const STATES = 10;
const created = z.object({ id: z.string() });
const updateSchema = z
  .object({ aps: z.object({ timestamp: z.number(), 'content-state': z.object({ state: z.number() }) }) })
  .transform(({ aps }) => ({ timestamp: aps.timestamp, state: aps['content-state'].state }));
type Update = z.infer<typeof updateSchema>;

/** The states that a device shows, one after another: it ignores an update that is older than what it shows. */
function shownOf(updates: readonly Update[]): number[] {
  let newest = 0;
  return updates.flatMap(({ timestamp, state }) => {
    if (timestamp < newest) return [];
    newest = timestamp;
    return [state];
  });
}

function isBack(states: readonly number[]): boolean {
  return states.some((state, index) => state < (states[index - 1] ?? 0));
}

/** @param got updates by device or channel, in the order of their arrival */
function accountOfUpdates(
  wanted: readonly string[],
  got: ReadonlyMap<string, readonly Update[]>,
  lastState: number,
): Omit<Account, 'doubtful'> {
  const shown = new Map([...got].map(([id, updates]) => [id, shownOf(updates)]));
  return {
    lost: wanted.filter((id) => shown.get(id)?.at(-1) !== lastState).length,
    // An older state over a newer one is what nobody may see.
    shownTwice: [...shown.values()].filter(isBack).length,
    repeated: [...got.values()].reduce(
      (sum, updates) => sum + updates.length - new Set(updates.map(({ state }) => state)).size,
      0,
    ),
  };
}
const channelSchema = z.object({ channel: z.object({ id: z.string(), apns_channel_id: z.string() }) });
const broadcastsSchema = z.object({ broadcasts: z.array(z.object({ state: z.string() })) });

const activity: Load = {
  name: 'a Live Activity',
  begin: async (stage) => {
    const { postgres, app, backend, simulator } = stage;
    await insertDevices(postgres.db, app.id, DEVICES);
    const { rows: followers } = await sql<{ token: string }>`
      insert into named_tokens (app_id, type, name, device_id, push_token, registered_at, presented_at)
      select app_id, 'live_activity', 'match-7', id, encode(sha256(id::text::bytea), 'hex'), now(), now()
      from devices where app_id = ${app.id} and platform = 'iOS' returning push_token as token`.execute(
      postgres.db,
    );
    const send = async (state: number, event = 'update'): Promise<string> => {
      const live_activity = { event, activity_id: 'match-7', content_state: { state } };
      const body = { notification: { to: '*', live_activity } };
      const headers = { 'idempotency-key': `${app.id}-${state}` };
      return created.parse(await callUntilAnswered(stage, 'POST', '/v6/notifications', body, headers)).id;
    };
    const updatesByToken = (): Map<string, Update[]> => {
      const updates = new Map<string, Update[]>();
      for (const { token, body } of simulator.received({ gateway: 'apns' })) {
        updates.set(token, [...(updates.get(token) ?? []), updateSchema.parse(JSON.parse(body))]);
      }
      return updates;
    };
    const ids = [await send(1)];
    return {
      total: followers.length,
      done: () => updatesByToken().size,
      end: async () => {
        ids.push(await send(2), await send(3, 'end'));
        let doubtful = 0;
        for (const id of ids) {
          const { accepted, dropped, ambiguous, pending } = await untilAnswered(async () =>
            backend.untilEnded(id, ENDS_WITHIN_MS),
          );
          expect([accepted + dropped + ambiguous, pending]).toEqual([followers.length, 0]);
          doubtful += ambiguous;
        }
        const tokens = followers.map(({ token }) => token);
        const account = accountOfUpdates(tokens, updatesByToken(), 3);
        return { ...account, lost: Math.max(0, account.lost - doubtful), doubtful };
      },
    };
  },
};

const channels: Load = {
  name: 'broadcasts on channels',
  begin: async (stage) => {
    const { simulator } = stage;
    const own = await Promise.all(
      Array.from({ length: CHANNELS }, async (_, index) => {
        const channel = { key: `match-${index}` };
        return channelSchema.parse(await callUntilAnswered(stage, 'POST', '/v6/channels', { channel }))
          .channel;
      }),
    );
    let accepted = 0;
    const sending = Promise.all(own.map(async ({ id }) => sendStates(stage, id, () => (accepted += 1))));
    const seen = (): Map<string, Update[]> => {
      const updates = new Map<string, Update[]>();
      for (const { channelId, payload } of simulator.apple.broadcasts()) {
        updates.set(channelId, [...(updates.get(channelId) ?? []), updateSchema.parse(payload)]);
      }
      return updates;
    };
    return {
      total: CHANNELS * STATES,
      // Not what Apple has got: of states that come fast, it gets only the newest.
      done: () => accepted,
      end: async () => {
        await sending;
        for (const { id } of own) await vi.waitFor(async () => untilSent(stage, id), ENDS_WITHIN_MS);
        const ids = own.map(({ apns_channel_id: id }) => id);
        return { ...accountOfUpdates(ids, seen(), STATES), doubtful: 0 };
      },
    };
  },
};

/** One after another, so that their order is known. */
async function sendStates(stage: Stage, channelId: string, onAccepted: () => void): Promise<void> {
  for (let state = 1; state <= STATES; state++) {
    const broadcast = { event: 'update', content_state: { state } };
    await callUntilAnswered(stage, 'POST', `/v6/channels/${channelId}/broadcasts`, { broadcast });
    onAccepted();
  }
}

/** @throws while the newest broadcast has not reached Apple */
async function untilSent({ backend }: Stage, channelId: string): Promise<void> {
  const { body } = await backend.call('GET', `/v6/channels/${channelId}`);
  expect(broadcastsSchema.parse(body).broadcasts[0]?.state).toBe('sent');
}

export const live: readonly Load[] = [activity, channels];
