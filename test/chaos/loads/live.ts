/** What shows a state, of which the newest counts: a Live Activity that thousands follow, broadcasts on channels. */
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { insertDevices } from '../../support/simulated-app.ts';
import { callUntilAnswered, ENDS_WITHIN_MS, type Load, untilAnswered } from '../load.ts';
import type { Stage } from '../stage.ts';

const DEVICES = 4_000;
const CHANNELS = 50;
const STATES = 10;
const created = z.object({ id: z.string() });
const updateSchema = z.object({ aps: z.object({ 'content-state': z.object({ state: z.number() }) }) });
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
    const statesByToken = (): Map<string, number[]> => {
      const states = new Map<string, number[]>();
      for (const { token, body } of simulator.received({ gateway: 'apns' })) {
        const { state } = updateSchema.parse(JSON.parse(body)).aps['content-state'];
        states.set(token, [...(states.get(token) ?? []), state]);
      }
      return states;
    };
    const ids = [await send(1)];
    return {
      total: followers.length,
      done: () => statesByToken().size,
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
        const states = statesByToken();
        const all = [...states.values()];
        const repeated = all.reduce((sum, each) => sum + each.length - new Set(each).size, 0);
        return {
          lost: Math.max(
            0,
            followers.filter(({ token }) => states.get(token)?.at(-1) !== 3).length - doubtful,
          ),
          // An older state over a newer one is what nobody may see.
          shownTwice: all.filter((each) => each.some((state, index) => state < (each[index - 1] ?? 0)))
            .length,
          repeated,
          doubtful,
        };
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
    const sending = Promise.all(own.map(async ({ id }) => sendStates(stage, id)));
    const seen = (): Map<string, number[]> => {
      const states = new Map<string, number[]>();
      for (const { channelId, payload } of simulator.apple.broadcasts()) {
        const { state } = updateSchema.parse(payload).aps['content-state'];
        states.set(channelId, [...(states.get(channelId) ?? []), state]);
      }
      return states;
    };
    return {
      total: CHANNELS * STATES,
      done: () => simulator.apple.broadcasts().length,
      end: async () => {
        await sending;
        for (const { id } of own) await vi.waitFor(async () => untilSent(stage, id), ENDS_WITHIN_MS);
        const states = seen();
        const all = [...states.values()];
        return {
          lost: own.filter(({ apns_channel_id: id }) => states.get(id)?.at(-1) !== STATES).length,
          shownTwice: all.filter((each) => each.some((state, index) => state < (each[index - 1] ?? 0)))
            .length,
          repeated: all.reduce((sum, each) => sum + each.length - new Set(each).size, 0),
          doubtful: 0,
        };
      },
    };
  },
};

/** One after another, so that their order is known. */
async function sendStates(stage: Stage, channelId: string): Promise<void> {
  for (let state = 1; state <= STATES; state++) {
    const broadcast = { event: 'update', content_state: { state } };
    await callUntilAnswered(stage, 'POST', `/v6/channels/${channelId}/broadcasts`, { broadcast });
  }
}

/** @throws while the newest broadcast has not reached Apple */
async function untilSent({ backend }: Stage, channelId: string): Promise<void> {
  const { body } = await backend.call('GET', `/v6/channels/${channelId}`);
  expect(broadcastsSchema.parse(body).broadcasts[0]?.state).toBe('sent');
}

export const live: readonly Load[] = [activity, channels];
