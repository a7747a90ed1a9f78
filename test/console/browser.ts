/** A browser as the server sees it: it keeps the cookie of its session, and says where its requests come from. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Kysely } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { type Clock, systemClock } from '../../src/clock.ts';
import { openPasswords } from '../../src/console/accounts/passwords.ts';
import type { Role } from '../../src/console/accounts/roles.ts';
import { createUser, setRole } from '../../src/console/accounts/users.ts';
import type { Database } from '../../src/db/tables.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe.ts';
import type { Api, Reply } from '../http/api.ts';
import { testSecret } from '../support/secret.ts';

export const PASSWORD = 'correct horse battery staple';

/** One hash for all tests: making one takes long. */
const passwordHash = openPasswords().hash(PASSWORD);

/** @returns the id of a user with that role and the password `PASSWORD` */
export async function insertUser(
  db: Kysely<Database>,
  clock: Clock,
  { name, roles }: { name: string; roles: Readonly<Record<string, Role>> },
): Promise<string> {
  const user = await createUser(db, { name, passwordHash: await passwordHash }, clock);
  if (user === undefined) throw new Error(`there is a user ${name} already`);
  for (const [appId, role] of Object.entries(roles)) {
    await setRole(db, { user, appId, role }, clock);
  }
  return user.id;
}

/** Another server on the database and the queue of an API. */
export function anotherServer(
  { db, queue }: Pick<Api, 'db' | 'queue'>,
  options: Partial<Parameters<typeof buildServer>[0]>,
): FastifyInstance {
  return buildServer({
    db,
    queue,
    clock: systemClock,
    secret: testSecret,
    observe: observeNothing,
    ...options,
  });
}

/** @returns what an authenticator app shows; the server takes it for half a minute more */
export function codeAt(secret: string, at: Date): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() });
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

interface BrowserCall {
  body?: unknown;
  /** The app of a call of the API. */
  app?: string;
  /** Undefined: the header is not sent. */
  headers?: Record<string, string | undefined>;
}

export interface Browser {
  /** `call('GET /v6/devices', {app})`, from a page of the same origin unless the headers say otherwise */
  call(address: string, call?: BrowserCall): Promise<Reply>;
  signIn(name: string, password?: string): Promise<Reply>;
  /** As `Cookie` has them. */
  cookies: Map<string, string>;
}

export function openBrowser(
  server: FastifyInstance,
  host = 'localhost',
  remoteAddress = '127.0.0.1',
): Browser {
  const cookies = new Map<string, string>();
  const call = async (address: string, { body, app, headers }: BrowserCall = {}): Promise<Reply> => {
    const [method = '', url = ''] = address.split(' ');
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const sent = Object.entries({
      host,
      'sec-fetch-site': 'same-origin',
      cookie: cookie === '' ? undefined : cookie,
      'carillon-app': app,
      'content-type': body === undefined ? undefined : 'application/json',
      ...headers,
    });
    const response = await server.inject({
      method: methodOf(method),
      url,
      remoteAddress,
      headers: Object.fromEntries(sent.filter(([, value]) => value !== undefined)),
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    keepCookies(response, cookies);
    return {
      status: response.statusCode,
      body: response.body === '' ? undefined : response.json(),
      headers: response.headers,
    };
  };
  return {
    cookies,
    call,
    signIn: async (name, password = PASSWORD) => call('POST /console/session', { body: { name, password } }),
  };
}

function methodOf(text: string): (typeof METHODS)[number] {
  const method = METHODS.find((each) => each === text);
  if (method === undefined) throw new Error(`${text} is no method`);
  return method;
}

function keepCookies(response: LightMyRequestResponse, cookies: Map<string, string>): void {
  for (const { name, value } of response.cookies) {
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
}
