/** Channels at a simulated Apple, for tests that own the clock. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import { openChannelGateways, type ChannelGateways } from '../../src/channels/channel-gateways.ts';
import { startChannelSender } from '../../src/channels/send.ts';
import type { Clock } from '../../src/clock.ts';
import type { Database } from '../../src/db/tables.ts';
import { openApnsChannels } from '../../src/gateways/apns/channels-at-apple.ts';
import { buildServer } from '../../src/http/server.ts';
import { type Observation, observeNothing } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { type Call, callServer, type Reply } from '../http/api.ts';
import { useTestDatabase } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';
import { createSimulatedApp, type SimulatedApp } from '../support/simulated-app.ts';

/** The caller closes them. */
export function openSimulatedChannels(
  db: Kysely<Database>,
  simulator: Simulator,
  clock: Clock,
): ChannelGateways {
  const { urls, caPem: ca } = simulator;
  return openChannelGateways({
    db,
    secret: testSecret,
    clock,
    open: ({ environment, bundleId, token }) =>
      openApnsChannels({
        bundleId,
        token,
        pushUrl: environment === 'production' ? urls.apnsProduction : urls.apnsSandbox,
        managementUrl: environment === 'production' ? urls.channelsProduction : urls.channelsSandbox,
        ca,
        clock,
        observe: observeNothing,
      }),
  });
}

const channelSchema = z.object({ channel: z.object({ id: z.string(), apns_channel_id: z.string() }) });

export interface Channels {
  readonly db: Kysely<Database>;
  readonly simulator: Simulator;
  readonly gateways: ChannelGateways;
  /** A new one for each test, with a key of every permission. */
  readonly app: SimulatedApp;
  readonly observations: Observation[];
  readonly clock: Clock;
  advance(ms: number): void;
  call(address: string, call?: Call): Promise<Reply>;
  /** Creates a channel of the app. */
  create(key: string, more?: object): Promise<{ id: string; apnsChannelId: string }>;
  /** Deletes a channel at Apple, as another program does. */
  deleteAtApple(apnsChannelId: string): void;
  /** Creates a channel at Apple, as another program does. @returns its id */
  createByOthers(storagePolicy?: 0 | 1): string;
  /** Runs a sender until the test ends it. */
  startSender(): ReturnType<typeof startChannelSender>;
}

/** A server, a simulator and a database for the tests of a file. The clock stands still but for `advance`. */
export function useChannels(): Channels {
  const database = useTestDatabase();
  const observations: Observation[] = [];
  const queue = openInProcessQueue({ observe: observeNothing });
  const observe = (observation: Observation): void => void observations.push(observation);
  let nowMs = Date.parse('2026-11-24T18:00:00.000Z');
  const clock: Clock = () => new Date(nowMs);
  let opened: { simulator: Simulator; gateways: ChannelGateways; server: FastifyInstance } | undefined;
  let app: SimulatedApp | undefined;
  const open = (): NonNullable<typeof opened> => {
    if (opened === undefined) throw new Error('channels are open only while tests run');
    return opened;
  };
  const appOfTest = (): SimulatedApp => {
    if (app === undefined) throw new Error('the app exists only in tests');
    return app;
  };
  beforeAll(async () => {
    const { db } = database;
    const simulator = await startSimulator({ clock, channelsMax: 5 });
    const gateways = openSimulatedChannels(db, simulator, clock);
    const server = buildServer({ db, queue, clock, secret: testSecret, observe, channels: gateways });
    opened = { simulator, gateways, server };
  });
  beforeEach(async () => {
    open().simulator.reset();
    observations.length = 0;
    app = await createSimulatedApp(database.db, testSecret, open().simulator);
  });
  afterAll(async () => {
    await opened?.server.close();
    await opened?.gateways.close();
    await opened?.simulator.close();
    await queue.close();
  });
  const owner = () => ({ bundleId: appOfTest().bundleId, environment: 'production' }) as const;
  const call: Channels['call'] = async (address, options = {}) =>
    callServer(open().server, address, { key: appOfTest().key, ...options });
  return {
    get db() {
      return database.db;
    },
    get simulator() {
      return open().simulator;
    },
    get gateways() {
      return open().gateways;
    },
    get app() {
      return appOfTest();
    },
    observations,
    clock,
    advance: (ms) => {
      nowMs += ms;
    },
    call,
    create: async (key, more = {}) => {
      const { body } = await call('POST /v6/channels', { body: { channel: { key, ...more } } });
      const { id, apns_channel_id: apnsChannelId } = channelSchema.parse(body).channel;
      return { id, apnsChannelId };
    },
    deleteAtApple: (id) => open().simulator.apple.deleteChannel({ ...owner(), id, storagePolicy: 1 }),
    createByOthers: (storagePolicy = 1) =>
      open().simulator.apple.createChannel({ ...owner(), storagePolicy })?.id ?? '',
    startSender: () => {
      const { gateways } = open();
      return startChannelSender({ db: database.db, gateways, clock, observe, random: () => 1 });
    },
  };
}
