/** One notification to thousands: plain, with texts of their own, in groups, under a cap, by local time, to browsers. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { z } from 'zod';
import { deriveSubscription } from '@carillon/simulator';
import { insertDevices, type NotificationRecord } from '../../support/simulated-app.ts';
import {
  type Account,
  accountOf,
  callUntilAnswered,
  ENDS_WITHIN_MS,
  type Load,
  untilAnswered,
} from '../load.ts';
import type { Stage } from '../stage.ts';

const DEVICES = 4_000;
const created = z.object({ id: z.string() });

/** @param options keys of the notification */
function broadcast(name: string, options: () => object, prepare = insertPhones): Load {
  return {
    name,
    begin: async (stage) => {
      const tokens = await prepare(stage);
      const id = await notify(stage, options());
      return {
        total: tokens.size,
        done: () => stage.simulator.pushesByToken(id).size,
        end: async () => {
          const { ambiguous } = await ended(stage, id, tokens.size);
          return accountOf(stage.simulator, new Map([[id, tokens]]), ambiguous);
        },
      };
    },
  };
}

async function insertPhones({ postgres, app }: Stage): Promise<Set<string>> {
  const devices = await insertDevices(postgres.db, app.id, DEVICES);
  return new Set(devices.map(({ token }) => token));
}

async function insertBrowsers(stage: Stage): Promise<Set<string>> {
  const { postgres, app, simulator } = stage;
  const credentials = { subject: 'mailto:push@example.com' };
  await callUntilAnswered(stage, 'PUT', '/v6/credentials/web_push', { credentials });
  const rows = Array.from({ length: DEVICES }, (_, index) => {
    const { endpoint, keys } = deriveSubscription(simulator.urls.web, `${app.id}-${index}`, 'google');
    return { endpoint, keys: `${keys.p256dh}.${keys.auth}` };
  });
  await sql`
    insert into devices (app_id, id, platform, push_token, push_token_type, subscription_keys, token_registered_at,
      created_at, registered_at)
    select ${app.id}::uuid, gen_random_uuid(), 'Web', endpoint, 'subscription', keys, now(), now(), now()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (endpoint text, keys text)`.execute(
    postgres.db,
  );
  return new Set(rows.map(({ endpoint }) => endpoint));
}

async function notify(stage: Stage, options: object): Promise<string> {
  const notification = { to: '*', payload: { alert: 'Hello' }, ...options };
  const headers = { 'idempotency-key': randomUUID() };
  return created.parse(await callUntilAnswered(stage, 'POST', '/v6/notifications', { notification }, headers))
    .id;
}

/** Waits for the end of a notification, whose sums must hold. */
async function ended({ backend }: Stage, id: string, devices: number): Promise<NotificationRecord> {
  const record = await untilAnswered(async () => backend.untilEnded(id, ENDS_WITHIN_MS));
  const { accepted, ambiguous, capped: left, dropped } = record;
  const none = { rejected: 0, unregistered: 0, no_token: 0, expired: 0, pending: 0, held: 0 };
  expect(record, JSON.stringify(record)).toMatchObject({ state: 'sent', devices, ...none });
  expect(accepted + ambiguous + left + dropped).toBe(devices);
  return record;
}

/** Two at once, of which each device may have one. */
const capped: Load = {
  name: 'two capped bulk sends',
  begin: async (stage) => {
    const group = { group: 'marketing' };
    const caps = { frequency_caps: [{ ...group, by: 'device', limits: [{ at_most: 1, per: 'P1D' }] }] };
    await callUntilAnswered(stage, 'PUT', '/v6/app/frequency-caps', caps);
    const tokens = await insertPhones(stage);
    const ids = [await notify(stage, group), await notify(stage, group)];
    const gotBy = (id: string): Set<string> => new Set(stage.simulator.pushesByToken(id).keys());
    const got = (): Set<string>[] => ids.map(gotBy);
    return {
      total: tokens.size,
      done: () => got().reduce((sum, { size }) => sum + size, 0),
      end: async () => {
        const records = await Promise.all(ids.map(async (id) => ended(stage, id, tokens.size)));
        const doubtful = records.reduce((sum, { ambiguous }) => sum + ambiguous, 0);
        const accepted = records.reduce((sum, record) => sum + record.accepted, 0);
        expect(accepted + doubtful).toBe(tokens.size);
        const [one = new Set(), other = new Set()] = got();
        const account = accountOf(stage.simulator, new Map(ids.map((id) => [id, gotBy(id)])), doubtful);
        return {
          ...account,
          lost: Math.max(0, tokens.difference(one.union(other)).size - doubtful),
          shownTwice: account.shownTwice + one.intersection(other).size,
        };
      },
    };
  },
};

const HOLD_OUT = 0.2;

/** A fifth gets nothing; who that is, the server decides. */
const groups: Load = {
  name: 'an A/B test',
  begin: async (stage) => {
    const tokens = await insertPhones(stage);
    const variants = [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 2, payload: { alert: 'B' } },
    ];
    const id = await notify(stage, { variants, hold_out: HOLD_OUT, receipts: {} });
    const got = (): Set<string> => new Set(stage.simulator.pushesByToken(id).keys());
    return {
      total: tokens.size * (1 - HOLD_OUT),
      done: () => got().size,
      end: async () => {
        const { accepted, ambiguous } = await ended(stage, id, tokens.size);
        const account = accountOf(stage.simulator, new Map([[id, got()]]), ambiguous);
        return { ...account, lost: Math.max(0, accepted - got().size) };
      },
    };
  },
};

/** Half of the devices are due at once, the others when the test says so. */
const waves: Load = {
  name: 'local-time waves',
  begin: async (stage) => {
    const { app, postgres, simulator } = stage;
    const tokens = await insertPhones(stage);
    await sql`update devices set time_zone = case when id < '80000000-0000-0000-0000-000000000000' then 'Pacific/Kiritimati'
      else 'Etc/GMT+12' end where app_id = ${app.id}`.execute(postgres.db);
    const time = new Date(Date.now() + 60_000).toISOString().slice(0, 19);
    const id = await notify(stage, { deliver_at_local: { time, no_time_zone: 'skip', if_past: 'now' } });
    return {
      total: tokens.size / 2,
      done: () => simulator.pushesByToken(id).size,
      end: async (): Promise<Account> => {
        await sql`update notification_waves set due_at = now() where notification_id = ${id} and state = 'waiting'`.execute(
          postgres.db,
        );
        const { ambiguous } = await ended(stage, id, tokens.size);
        return accountOf(simulator, new Map([[id, tokens]]), ambiguous);
      },
    };
  },
};

const ofEachDevice = {
  payload: { alert: 'Hello {{ custom.name | default: "you" }}' },
  template: { on_missing: 'empty' },
};

export const broadcasts: readonly Load[] = [
  broadcast('a bulk send', () => ({})),
  broadcast('a templated one', () => ofEachDevice),
  broadcast('one to browsers', () => ({}), insertBrowsers),
  capped,
  groups,
  waves,
];
