/** Many calls: single pushes, batches, registrations, an import. Callers repeat those that get no answer. */
import { expect } from 'vitest';
import { expectOneOutcomeEach, pushedTo, sendSingles } from '../../processes/singles/singles.ts';
import { newToken } from '../../support/push-token.ts';
import { insertDevices, type StoredDevice } from '../../support/simulated-app.ts';
import {
  type Account,
  CALLER_PATIENCE_MS,
  callUntilAnswered,
  ENDS_WITHIN_MS,
  type Load,
  untilAnswered,
} from '../load.ts';
import type { Stage } from '../stage.ts';

const SINGLES = 1_000;
const BATCHES = 10;
const ROWS = 3_000;
const CALLERS = 16;

const singles: Load = {
  name: 'single pushes',
  begin: async (stage) => {
    const { simulator, backend } = stage;
    const devices = await insertDevices(stage.postgres.db, stage.app.id, SINGLES);
    const sent = sendSingles(devices, async () => backend, CALLER_PATIENCE_MS);
    return {
      total: SINGLES,
      done: () => pushedTo(simulator),
      end: async () => {
        await sent.answered();
        return accountOfSingles(stage, devices, sent.created);
      },
    };
  },
};

/** @throws if a push is lost, or shown twice */
async function accountOfSingles(
  { backend, simulator }: Stage,
  devices: readonly StoredDevice[],
  created: ReadonlyMap<string, string>,
): Promise<Account> {
  const check = { backend, simulator, devices, created, ambiguousMax: SINGLES, timeoutMs: ENDS_WITHIN_MS };
  const repeated = await expectOneOutcomeEach(check);
  let doubtful = 0;
  for (const id of created.values()) doubtful += (await backend.readNotification(id)).ambiguous;
  return { lost: 0, shownTwice: 0, repeated, doubtful };
}

const batches: Load = {
  name: 'batches',
  begin: async (stage) => {
    const { simulator, backend } = stage;
    const devices = await insertDevices(stage.postgres.db, stage.app.id, SINGLES);
    const created = new Map<string, string>();
    const all = Array.from({ length: BATCHES }, async (_, number) => {
      const own = devices.filter((__, index) => index % BATCHES === number);
      const body = own.map(({ id }) => ({
        notification: { to: { device_id: id }, payload: { alert: 'Hello' } },
        idempotency_key: id,
      }));
      // Each item has its own key, and may be refused by itself while the database is away.
      await untilAnswered(async () => {
        const reply = await backend.call('POST', '/v6/notifications/batch', body);
        const items = Array.isArray(reply.body) ? reply.body : [];
        expect(items.map((item) => Reflect.get(Object(item), 'status'))).toEqual(own.map(() => 201));
        for (const [index, { id }] of own.entries()) {
          created.set(id, String(Reflect.get(Object(items[index]), 'id')));
        }
      });
    });
    const answered = Promise.all(all);
    return {
      total: SINGLES,
      done: () => pushedTo(simulator),
      end: async () => {
        await answered;
        return accountOfSingles(stage, devices, created);
      },
    };
  },
};

async function countDevices({ postgres, app }: Stage): Promise<number> {
  const { stored } = await postgres.db
    .selectFrom('devices')
    .select((eb) => eb.fn.countAll<number>().as('stored'))
    .where('app_id', '=', app.id)
    .executeTakeFirstOrThrow();
  return stored;
}

/** The tokens that are stored, once or more. */
async function accountOfRows(stage: Stage, tokens: readonly string[]): Promise<Account> {
  const rows = await stage.postgres.db
    .selectFrom('devices')
    .select('push_token')
    .where('app_id', '=', stage.app.id)
    .execute();
  const stored = rows.map(({ push_token: token }) => token);
  const unique = new Set(stored);
  const lost = tokens.filter((token) => !unique.has(token)).length;
  return { lost, shownTwice: stored.length - unique.size, repeated: 0, doubtful: 0 };
}

const newTokens = (length: number): string[] => Array.from({ length }, newToken);

const registrations: Load = {
  name: 'registrations',
  begin: async (stage) => {
    const tokens = newTokens(ROWS);
    const left = [...tokens];
    const callers = Array.from({ length: CALLERS }, async () => {
      for (let token = left.pop(); token !== undefined; token = left.pop()) {
        const device = { platform: 'iOS', push_token: token };
        await callUntilAnswered(stage, 'POST', '/v6/devices', { device });
      }
    });
    const registered = Promise.all(callers);
    return {
      total: ROWS,
      done: () => ROWS - left.length,
      end: async () => {
        await registered;
        return accountOfRows(stage, tokens);
      },
    };
  },
};

const IMPORTED = 20_000;

const anImport: Load = {
  name: 'an import',
  begin: async (stage) => {
    const tokens = newTokens(IMPORTED);
    const lines = tokens.map((token) => JSON.stringify({ platform: 'iOS', push_token: token })).join('\n');
    const authorization = `Basic ${Buffer.from(`:${stage.app.key}`).toString('base64')}`;
    const imported = untilAnswered(async () => {
      const response = await fetch(`${stage.url}/v6/devices/import`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/x-ndjson' },
        body: lines,
        signal: AbortSignal.timeout(60_000),
      });
      await response.text();
      expect(response.status).toBe(200);
    });
    return {
      total: IMPORTED,
      done: async () => countDevices(stage).catch(() => 0),
      end: async () => {
        await imported;
        return accountOfRows(stage, tokens);
      },
    };
  },
};

export const calls: readonly Load[] = [singles, batches, registrations, anImport];
