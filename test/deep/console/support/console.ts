/** The console in Chromium, for the tests of a `describe`. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { BrowserContext } from 'playwright-core';
import { afterEach, describe } from 'vitest';
import type { Role } from '../../../../src/console/accounts/roles.ts';
import { createSession } from '../../../../src/console/accounts/session-store.ts';
import { type Clock, systemClock } from '../../../../src/clock.ts';
import type { Database } from '../../../../src/db/tables.ts';
import { buildServer } from '../../../../src/http/server.ts';
import { observeNothing } from '../../../../src/observe.ts';
import { startSimulator } from '@carillon/simulator';
import { insertUser } from '../../../console/browser.ts';
import { openTestDatabase } from '../../../support/database.ts';
import { type Closing, useOpened } from '../../../support/opened.ts';
import { testSecret } from '../../../support/secret.ts';
import { createSimulatedApp, insertDevices, openBackend } from '../../../support/simulated-app.ts';
import { startTestWorker } from '../../../support/worker.ts';
import { consolePort, openProfiles } from './profiles.ts';
import { executablePath, type Look, type WatchedPage } from './browser.ts';

const DEVICES = 40;

/** What pages need; each test file may have more. */
interface Served {
  db: Kysely<Database>;
  server: FastifyInstance;
  app: { id: string; bundleId: string };
  clock?: Clock;
}

interface Pages {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** The address of a screen of the app: `addressOf('devices?q=x')` */
  addressOf(screen: string): string;
  /** @returns the id of a new user with that role in the app and the password `PASSWORD` */
  addUser(name: string, role?: Role): Promise<string>;
  /** A page of a browser in which nobody has signed in. */
  visit(look?: Look): Promise<WatchedPage>;
  /** A page of a browser in which a new user with that role in the app has signed in. */
  enterAs(role: Role, look?: Look): Promise<WatchedPage>;
  /** A page of a browser in which that user has signed in, at a screen of the app. */
  openFor(userId: string, screen: string, look?: Look): Promise<WatchedPage>;
  /** The same for a new user with that role in the app. */
  openAs(role: Role, screen: string, look?: Look): Promise<WatchedPage>;
}

/** Tests in Chromium; skipped where there is none. */
export const describeInBrowser = describe.skipIf(executablePath === undefined);

/**
 * Pages of a server, which listens while tests run.
 * @param make is given the origin at which it will listen
 */
export function usePages<Made extends Served>(
  make: (closing: Closing, origin: string) => Promise<Made>,
  host = '127.0.0.1',
): Made & Pages {
  const pages = useOpened(async (closing) => {
    const port = await consolePort();
    const origin = `http://${host}:${port}`;
    const made = await make(closing, origin);
    const { db, server, app, clock = systemClock } = made;
    closing.defer(async () => {
      server.server.closeAllConnections(); // a browser keeps some open
      await server.close();
    });
    await server.listen({ host: '127.0.0.1', port });
    const profiles = await openProfiles(origin);
    const addressOf = (screen: string, at = origin): string => `${at}/console/apps/${app.bundleId}/${screen}`;
    const addUser: Pages['addUser'] = async (name, role = 'viewer') =>
      insertUser(db, clock, { name, roles: { [app.id]: role } });
    const enter = async (userId: string, look?: Look): Promise<WatchedPage> => {
      const watched = await profiles.open(look);
      await signIn(watched.page.context(), { db, userId, origin, clock });
      return watched;
    };
    const openFor: Pages['openFor'] = async (userId, screen, look) => {
      const watched = await enter(userId, look);
      await watched.page.goto(addressOf(screen, look?.origin));
      return watched;
    };
    const newUser = async (role: Role): Promise<string> => addUser(`${role} ${randomUUID()}`, role);
    const enterAs: Pages['enterAs'] = async (role, look) => enter(await newUser(role), look);
    const openAs: Pages['openAs'] = async (role, screen, look) => openFor(await newUser(role), screen, look);
    return {
      ...made,
      profiles,
      origin,
      addressOf,
      addUser,
      visit: async (look?: Look) => profiles.open(look),
      enterAs,
      openFor,
      openAs,
    };
  });
  afterEach(async () => pages.profiles.takeBack());
  return pages;
}

/** Gives a browser profile the session of a user. */
export async function signIn(
  context: BrowserContext,
  of: { db: Kysely<Database>; userId: string; origin: string; clock?: Clock },
): Promise<void> {
  const session = { userId: of.userId, userAgent: undefined };
  const { secret } = await createSession(of.db, session, of.clock ?? systemClock);
  await context.addCookies([{ name: 'carillon', value: secret, url: of.origin, sameSite: 'Strict' }]);
}

interface Options {
  requiresSecondFactor?: boolean;
  isDemo?: boolean;
}

export type ConsoleFixture = ReturnType<typeof useConsole>;

/** Tests of the console in Chromium, with a worker that pushes to the simulator, and an app with devices. */
export function describeConsole(
  name: string,
  define: (console: ConsoleFixture) => void,
  options?: Options,
): void {
  describeInBrowser(name, () => define(useConsole(options)));
}

function useConsole(options: Options = {}) {
  return usePages(async (closing, origin) => {
    const { db } = closing.keep(await openTestDatabase());
    const simulator = closing.keep(await startSimulator());
    const app = await createSimulatedApp(db, testSecret, simulator);
    const devices = await insertDevices(db, app.id, DEVICES);
    const worker = closing.keep(startTestWorker({ db, secret: testSecret, simulator }));
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
    const backend = openBackend(origin, app.key);
    /** Registers a device of its own, with the token that the gateway knows it by. */
    const register = async (attributes: object = {}) => {
      const token = randomBytes(32).toString('hex');
      const user = `user-${randomBytes(4).toString('hex')}`;
      const device = { platform: 'iOS', push_token: token, user_id: user, ...attributes };
      return { id: await backend.create('/v6/devices', { device }), token, user };
    };
    return { db, server, app, devices, simulator, backend, register };
  });
}
