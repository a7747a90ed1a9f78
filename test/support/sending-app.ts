/** A server, a worker and an app whose pushes reach the simulator, for the tests of a file. */
import { type Simulator, startSimulator } from '@carillon/simulator';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { openTokenKeys } from '../../src/apps/token-keys.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing as observe } from '../../src/observe.ts';
import { callServer, type Reply } from '../http/api.ts';
import type { TestDatabase } from './database.ts';
import { testSecret as secret } from './secret.ts';
import { createSimulatedApp, type SimulatedApp } from './simulated-app.ts';
import { hostsOf, startTestWorker, type TestWorker } from './worker.ts';

export interface SendingApp {
  readonly simulator: Simulator;
  readonly server: FastifyInstance;
  readonly worker: TestWorker;
  readonly app: SimulatedApp;
  /** Calls the server with the key of the app. @param address such as `POST /v6/devices` */
  readonly call: (address: string, body?: object) => Promise<Reply>;
}

/** @param clock of the server */
export function useSendingApp(database: Pick<TestDatabase, 'db'>, clock: Clock = systemClock): SendingApp {
  let opened: Omit<SendingApp, 'call'> | undefined;
  const sending = (): NonNullable<typeof opened> => {
    if (opened === undefined) throw new Error('the app sends only while tests run');
    return opened;
  };
  beforeAll(async () => {
    const { db } = database;
    const simulator = await startSimulator();
    const worker = startTestWorker({ db, secret, simulator, tokenKeys: openTokenKeys(db, secret) });
    const { queue } = worker;
    const webPushHosts = hostsOf(simulator);
    const server = buildServer({ db, queue, clock, secret, observe, webPushHosts });
    opened = { simulator, worker, server, app: await createSimulatedApp(db, secret, simulator) };
  });
  afterAll(async () => {
    await opened?.server.close();
    await opened?.worker.close();
    await opened?.simulator.close();
  });
  return {
    get simulator() {
      return sending().simulator;
    },
    get server() {
      return sending().server;
    },
    get worker() {
      return sending().worker;
    },
    get app() {
      return sending().app;
    },
    call: async (address, body) => {
      const { server, app } = sending();
      return callServer(server, address, { key: app.key, ...(body !== undefined && { body }) });
    },
  };
}
