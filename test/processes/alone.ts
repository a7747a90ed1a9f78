/** One process that is API and worker, on a database of its own: the setup of a single machine. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { readConfig } from '../../src/process/config.ts';
import { observeNothing } from '../../src/observe.ts';
import { openResources, type Resources } from '../../src/process/resources.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { type CommandResult, runCommand } from '../support/command.ts';
import { listeningUrl, type RunningProcess, useCarillon } from '../support/processes.ts';
import {
  type Backend,
  createSimulatedApp,
  gatewaySettings,
  insertDevices,
  openBackend,
  type SimulatedApp,
  type StoredDevice,
} from '../support/simulated-app.ts';
import { slotClock } from './slot-clock.ts';

export interface Alone {
  readonly simulator: Simulator;
  readonly dataDir: string;
  /** Uses the database directly, whether or not a server runs. */
  onDatabase<Result>(use: (resources: Resources) => Promise<Result>): Promise<Result>;
  /** An app with that many devices. */
  makeApp(devices: number): Promise<{ app: SimulatedApp; devices: StoredDevice[] }>;
  start(): RunningProcess;
  /** The back end of an app, once the server listens. */
  backend(server: RunningProcess, app: SimulatedApp): Promise<Backend>;
  /** Runs a command of the command line while the server runs. */
  run(words: readonly string[]): Promise<CommandResult>;
}

/** Open while the tests of a `describe` run; the server is killed after each test. */
export function useAlone(): Alone {
  const carillon = useCarillon();
  let opened: { simulator: Simulator; dataDir: string; environment: Record<string, string> } | undefined;
  const alone = (): NonNullable<typeof opened> => {
    if (opened === undefined) throw new Error('the server can be started only while tests run');
    return opened;
  };

  beforeAll(async () => {
    const dataDir = await carillon.makeDir();
    const simulator = await startSimulator({
      certificateDir: dataDir,
      keep: 50_000,
      limitTokenUpdates: true,
      clock: slotClock(),
    });
    const environment = {
      ...gatewaySettings(simulator),
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'debug',
      BULK_THREADS: '2',
    };
    opened = { simulator, dataDir, environment };
  });
  afterEach(async () => {
    await carillon.killAll();
    opened?.simulator.reset();
  });
  afterAll(async () => {
    await opened?.simulator.close();
  });

  const onDatabase: Alone['onDatabase'] = async (use) => {
    const resources = await openResources(readConfig({ DATA_DIR: alone().dataDir }), observeNothing);
    try {
      return await use(resources);
    } finally {
      await resources.close();
    }
  };
  return {
    get simulator() {
      return alone().simulator;
    },
    get dataDir() {
      return alone().dataDir;
    },
    onDatabase,
    makeApp: async (count) =>
      onDatabase(async ({ db, secret }) => {
        const app = await createSimulatedApp(db, secret, alone().simulator);
        return { app, devices: await insertDevices(db, app.id, count) };
      }),
    start: () => carillon.start(['start'], alone().environment),
    backend: async (server, app) => openBackend(await listeningUrl(server), app.key),
    run: async (words) => runCommand(words, { DATA_DIR: alone().dataDir }),
  };
}
