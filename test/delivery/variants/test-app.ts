/** An app on the simulator with a worker and a server, and an A/B test whose groups the tests compute themselves. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../src/clock.ts';
import type { Database } from '../../../src/db/tables.ts';
import { buildServer } from '../../../src/http/server.ts';
import { groupAt, HOLD_OUT, positionOf } from '../../../src/notifications/content/assign-variant.ts';
import { observeNothing as observe } from '../../../src/observe.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { callServer, type Reply } from '../../http/api.ts';
import { useTestDatabase } from '../../support/database.ts';
import { testSecret as secret } from '../../support/secret.ts';
import { createSimulatedApp, type SimulatedApp } from '../../support/simulated-app.ts';
import { startTestWorker, type TestWorker } from '../../support/worker.ts';

export const payload = { title: 'Sale', alert: 'Everything must go' };
export const variants = [
  { name: 'A', weight: 1 },
  { name: 'B', weight: 2, payload: { title: 'Half price' } },
];
const groups = { variants, holdOut: 0.2 };

/** The titles that a device of the group receives, with the payload and the variants above. */
export const TITLES: Readonly<Record<string, string[]>> = { A: ['Sale'], B: ['Half price'], [HOLD_OUT]: [] };

export interface TestDevice {
  id: string;
  token: string;
  userId: string | null;
}

/** @returns the group of the device in a test with the variants above, a fifth of whose devices are held out */
export function groupOf(seed: string, { id, userId }: TestDevice): string {
  return groupAt(positionOf(seed, { deviceId: id, userId }), groups);
}

export const twoDaysLater = (): Date => new Date(systemClock().getTime() + 2 * 86_400_000);

export interface TestApp {
  readonly db: Kysely<Database>;
  readonly id: string;
  /** The status is not looked at. */
  tryCall(address: string, body?: object): Promise<Reply>;
  /** A call that must succeed. */
  call(address: string, body?: object): Promise<Reply>;
  /** @returns the id of the notification */
  send(notification: object): Promise<string>;
  /** @returns the notification when it has ended */
  ended(nid: string): Promise<unknown>;
  /** Devices with this tag: every user has two, and every fifth device has no user; every other one is French. */
  insertDevices(tag: string, count: number): Promise<TestDevice[]>;
  /** @returns the titles that the device received */
  titlesOf(nid: string, device: TestDevice): string[];
  reportOf(nid: string): Promise<z.output<typeof report>>;
}

const storedNotification = z.looseObject({ ended_at: z.string().nullable() });
const shown = z.object({ aps: z.object({ alert: z.object({ title: z.string() }) }) });

const report = z.object({
  reasons: z.array(z.looseObject({ reason: z.string().nullable(), devices: z.int() })),
  uncounted: z.int(),
  variants: z.object({
    groups: z.array(
      z.looseObject({
        name: z.string(),
        devices: z.int(),
        opened: z.object({ devices: z.int(), of: z.int() }).nullable(),
      }),
    ),
    comparisons: z.array(
      z.looseObject({ rate: z.string(), may_be_chance: z.boolean(), sentence: z.string() }),
    ),
  }),
});

/** Open while the tests of a file run. */
export function useTestApp(): TestApp {
  const database = useTestDatabase();
  let opened: { simulator: Simulator; worker: TestWorker; server: FastifyInstance; app: SimulatedApp };

  beforeAll(async () => {
    const { db } = database;
    const simulator = await startSimulator();
    const worker = startTestWorker({ db, secret, simulator });
    const server = buildServer({ db, queue: worker.queue, clock: systemClock, secret, observe });
    opened = { simulator, worker, server, app: await createSimulatedApp(db, secret, simulator) };
  });

  afterAll(async () => {
    await opened.server.close();
    await opened.worker.close();
    await opened.simulator.close();
  });

  const tryCall: TestApp['tryCall'] = async (address, body) =>
    callServer(opened.server, address, { key: opened.app.key, ...(body && { body }) });
  const call: TestApp['call'] = async (address, body) => {
    const reply = await tryCall(address, body);
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply;
  };
  return {
    get db() {
      return database.db;
    },
    get id() {
      return opened.app.id;
    },
    tryCall,
    call,
    send: async (notification) =>
      z.object({ id: z.string() }).parse((await call('POST /v6/notifications', { notification })).body).id,
    ended: async (nid) =>
      vi.waitFor(
        async () => {
          const body = storedNotification.parse((await call(`GET /v6/notifications/${nid}`)).body);
          if (body.ended_at === null) throw new Error('not ended');
          return body;
        },
        { timeout: 30_000 },
      ),
    insertDevices: async (tag, count) => {
      const devices = Array.from({ length: count }, (_, index) => ({
        id: randomUUID(),
        token: randomBytes(32).toString('hex'),
        userId: index % 5 === 0 ? null : `${tag}-${index >> 1}`,
      }));
      const column = (name: keyof TestDevice) => devices.map((device) => device[name]);
      await sql`
        insert into devices (app_id, id, platform, push_token, token_registered_at, created_at, registered_at, tags, user_id, locale)
        select ${opened.app.id}, id, 'iOS', token, now(), now(), now(), array[${tag}], user_id, case when n % 2 = 0 then 'fr_FR' end
        from unnest(${column('id')}::uuid[], ${column('token')}::text[], ${column('userId')}::text[])
          with ordinality as new (id, token, user_id, n)`.execute(database.db);
      return devices;
    },
    titlesOf: (nid, { token }) =>
      opened.simulator
        .received({ nid, token })
        .map(({ body }) => shown.parse(JSON.parse(body)).aps.alert.title),
    reportOf: async (nid) => report.parse((await call(`GET /v6/notifications/${nid}/report`)).body),
  };
}
