/** A server, a worker and an app whose pushes reach the simulator, for the tests of a file. */
import { type Simulator, startSimulator } from '@carillon/simulator';
import type { FastifyInstance } from 'fastify';
import { openTokenKeys } from '../../src/apps/token-keys.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing as observe } from '../../src/observe.ts';
import { callServer, type Reply } from '../http/api.ts';
import type { TestDatabase } from './database.ts';
import { useOpened } from './opened.ts';
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
  return useOpened(async (closing) => {
    const { db } = database;
    const simulator = closing.keep(await startSimulator());
    const tokenKeys = openTokenKeys(db, secret);
    const worker = closing.keep(startTestWorker({ db, secret, simulator, tokenKeys }));
    const { queue } = worker;
    const webPushHosts = hostsOf(simulator);
    const server = closing.use(buildServer({ db, queue, clock, secret, observe, webPushHosts }));
    const app = await createSimulatedApp(db, secret, simulator);
    const call: SendingApp['call'] = async (address, body) =>
      callServer(server, address, { key: app.key, ...(body !== undefined && { body }) });
    return { simulator, server, worker, app, call };
  });
}
