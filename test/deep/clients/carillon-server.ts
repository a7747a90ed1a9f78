/** A server for clients: a process with the simulator as its gateways. Each test has an app of its own. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { parseSecretKey } from '../../../src/process/secret-key.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { useTestDatabase } from '../../support/database.ts';
import { listeningUrl, useCarillon } from '../../support/processes.ts';
import { createSimulatedApp, gatewaySettings, type SimulatedApp } from '../../support/simulated-app.ts';

export interface CarillonServer {
  readonly url: string;
  readonly simulator: Simulator;
  newApp(): Promise<SimulatedApp>;
}

/** Runs while the tests of a `describe` do. */
export function useCarillonServer(): CarillonServer {
  const database = useTestDatabase();
  const carillon = useCarillon();
  const secret = randomBytes(32).toString('hex');
  let opened: { url: string; simulator: Simulator } | undefined;
  const running = (): NonNullable<typeof opened> => {
    if (opened === undefined) throw new Error('the server runs only while tests do');
    return opened;
  };
  beforeAll(async () => {
    const simulator = await startSimulator({ certificateDir: await carillon.makeDir() });
    const environment = {
      ...gatewaySettings(simulator),
      DATABASE_URL: database.url,
      SECRET_KEY: secret,
      PORT: '0',
    };
    opened = { url: await listeningUrl(carillon.start(['start'], environment)), simulator };
  });
  afterAll(async () => opened?.simulator.close());
  return {
    get url() {
      return running().url;
    },
    get simulator() {
      return running().simulator;
    },
    newApp: async () => createSimulatedApp(database.db, parseSecretKey(secret), running().simulator),
  };
}
