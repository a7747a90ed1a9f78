/** One process that is API and worker, on a database of its own: the setup of a single machine. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { readConfig } from '../../src/process/config.ts';
import { observeNothing } from '../../src/observe.ts';
import { openResources, type Resources } from '../../src/process/resources.ts';
import { type SimulatorOptions, startSimulator } from '@carillon/simulator';
import { runCommand } from '../support/command.ts';
import { listeningUrl, type RunningProcess, useCarillon } from '../support/processes.ts';
import {
  createSimulatedApp,
  gatewaySettings,
  insertDevices,
  openBackend,
  type SimulatedApp,
} from '../support/simulated-app.ts';
import { slotClock } from './slot-clock.ts';

export type Alone = ReturnType<typeof useAlone>;

/**
 * Open while the tests of a file or a `describe` run; the server is killed after each test.
 * @param options of the simulator and settings of the server, next to the usual ones
 */
export function useAlone({
  settings,
  ...simulated
}: Partial<SimulatorOptions> & { settings?: () => Record<string, string> } = {}) {
  const carillon = useCarillon();
  const open = async () => {
    const dataDir = await carillon.makeDir();
    const simulator = await startSimulator({
      certificateDir: dataDir,
      keep: 50_000,
      limitTokenUpdates: true,
      clock: slotClock(),
      ...simulated,
    });
    const environment: Record<string, string> = {
      ...gatewaySettings(simulator),
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'debug',
      BULK_THREADS: '2',
      ...settings?.(),
    };
    return { simulator, dataDir, environment };
  };
  let opened: Awaited<ReturnType<typeof open>> | undefined;
  const alone = (): NonNullable<typeof opened> => {
    if (opened === undefined) throw new Error('the server can be started only while tests run');
    return opened;
  };

  beforeAll(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await carillon.killAll();
    opened?.simulator.reset();
  });
  afterAll(async () => {
    await opened?.simulator.close();
  });

  /** Uses the database directly, whether or not a server runs. */
  async function onDatabase<Result>(use: (resources: Resources) => Promise<Result>): Promise<Result> {
    const resources = await openResources(readConfig({ DATA_DIR: alone().dataDir }), observeNothing);
    try {
      return await use(resources);
    } finally {
      await resources.close();
    }
  }

  return {
    get simulator() {
      return alone().simulator;
    },
    get dataDir() {
      return alone().dataDir;
    },
    onDatabase,
    /** An app with that many devices. */
    makeApp: async (count: number) =>
      onDatabase(async ({ db, secret }) => {
        const app = await createSimulatedApp(db, secret, alone().simulator);
        return { app, devices: await insertDevices(db, app.id, count) };
      }),
    start: () => carillon.start(['start'], alone().environment),
    /** The back end of an app, once the server listens. */
    backend: async (server: RunningProcess, app: SimulatedApp) =>
      openBackend(await listeningUrl(server), app.key),
    /** Runs a command of the command line while the server runs. */
    run: async (words: readonly string[]) => runCommand(words, alone().environment),
  };
}
