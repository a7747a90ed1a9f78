/**
 * A server with the console, a worker that pushes to the simulator, an app with devices, and Chromium: made before the tests
 * of a file, closed after them.
 */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Role } from '../../../../src/console/accounts/roles.ts';
import { createSession } from '../../../../src/console/accounts/session-store.ts';
import { systemClock } from '../../../../src/clock.ts';
import type { Database } from '../../../../src/db/tables.ts';
import { buildServer } from '../../../../src/http/server.ts';
import { observeNothing } from '../../../../src/observe.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { insertUser } from '../../../console/browser.ts';
import { openTestDatabase } from '../../../support/database.ts';
import { testSecret } from '../../../support/secret.ts';
import {
  type Backend,
  createSimulatedApp,
  insertDevices,
  openBackend,
  type SimulatedApp,
  type StoredDevice,
} from '../../../support/simulated-app.ts';
import { startTestWorker } from '../../../support/worker.ts';
import { consolePort, openProfiles, type Profiles } from './profiles.ts';
import { type Look, openPage, type WatchedPage } from './browser.ts';

const DEVICES = 40;

interface Opened {
  profiles: Profiles;
  db: Kysely<Database>;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  app: SimulatedApp;
  devices: readonly StoredDevice[];
  simulator: Simulator;
  /** Calls the API with the app's key. */
  backend: Backend;
}

export interface ConsoleFixture extends Omit<Opened, 'profiles'> {
  /** The address of a screen of the app: `addressOf('devices?q=x')` */
  addressOf(screen: string): string;
  /** A browser profile in which nobody has signed in; its pages are closed after the test. */
  signedOut(look?: Look): Promise<BrowserContext>;
  /** Such a profile, in which a new user with that role in the app has signed in. */
  signedIn(role: Role, look?: Look): Promise<BrowserContext>;
  /** A page of such a browser, at a screen of the app. */
  openAs(role: Role, screen: string, look?: Look): Promise<WatchedPage>;
}

interface Options {
  requiresSecondFactor?: boolean;
  isDemo?: boolean;
}

/** Opens nothing where there is no Chromium: such tests are skipped (`describe.skipIf(executablePath === undefined)`). */
export function useConsole(options: Options = {}): ConsoleFixture {
  let opened: Opened | undefined;
  const opens = new AsyncDisposableStack();
  const fixture = (): Opened => {
    if (opened === undefined) throw new Error('the console is open only while tests run');
    return opened;
  };
  beforeAll(async () => {
    opened = await open(opens, options);
  });
  afterEach(async () => opened?.profiles.takeBack());
  afterAll(async () => opens.disposeAsync());

  const signedIn: ConsoleFixture['signedIn'] = async (role, look) => {
    const { db, app, profiles, origin } = fixture();
    const userId = await insertUser(db, systemClock, {
      name: `${role} ${randomUUID()}`,
      roles: { [app.id]: role },
    });
    const { secret } = await createSession(db, { userId, userAgent: undefined }, systemClock);
    const context = await profiles.take(look);
    await context.addCookies([{ name: 'carillon', value: secret, url: origin, sameSite: 'Strict' }]);
    return context;
  };
  const addressOf = (screen: string): string =>
    `${fixture().origin}/console/apps/${fixture().app.bundleId}/${screen}`;
  return {
    get db() {
      return fixture().db;
    },
    get origin() {
      return fixture().origin;
    },
    get app() {
      return fixture().app;
    },
    get devices() {
      return fixture().devices;
    },
    get simulator() {
      return fixture().simulator;
    },
    get backend() {
      return fixture().backend;
    },
    addressOf,
    signedOut: async (look) => fixture().profiles.take(look),
    signedIn,
    async openAs(role, screen, look) {
      const watched = await openPage(await signedIn(role, look), fixture().origin);
      await watched.page.goto(addressOf(screen));
      return watched;
    },
  };
}

async function open(opens: AsyncDisposableStack, options: Options): Promise<Opened> {
  const database = await openTestDatabase();
  opens.defer(async () => database.close());
  const { db } = database;
  const simulator = await startSimulator();
  opens.defer(async () => simulator.close());
  const app = await createSimulatedApp(db, testSecret, simulator);
  const devices = await insertDevices(db, app.id, DEVICES);
  const worker = startTestWorker({ db, secret: testSecret, simulator });
  opens.defer(async () => worker.close());
  const server = buildServer({
    db,
    queue: worker.queue,
    clock: systemClock,
    secret: testSecret,
    observe: observeNothing,
    webhooksMayBePrivate: true,
    gatewayAddresses: {
      apnsProductionUrl: simulator.urls.apnsProduction,
      apnsSandboxUrl: simulator.urls.apnsSandbox,
      fcmUrl: simulator.urls.fcm,
      googleOauthUrl: simulator.urls.oauth,
      gatewayCa: simulator.caPem,
    },
    ...options,
  });
  opens.defer(async () => {
    server.server.closeAllConnections(); // a browser keeps some open
    await server.close();
  });
  const origin = await server.listen({ host: '127.0.0.1', port: await consolePort() });
  const profiles = await openProfiles(origin);
  return { profiles, db, origin, app, devices, simulator, backend: openBackend(origin, app.key) };
}
