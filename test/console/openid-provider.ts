/** A real OpenID provider, certified, on a port of this machine. Everybody is signed in at once, as the person that a test names. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { portOf } from '../support/ports.ts';

export interface Person {
  email?: string;
  email_verified?: boolean;
  preferred_username?: string;
  groups?: string[] | string;
}

export interface TestProvider {
  readonly issuer: string;
  /** By the id at the provider. */
  readonly people: Map<string, Person>;
  /** The id of the person in front of the browser; undefined: somebody who presses "cancel". */
  person: string | undefined;
  /** Follows the addresses at the provider. @returns the first one elsewhere, to which it sends the browser back */
  follow(address: string): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT = { id: 'carillon', secret: 'the secret of the client' };

/**
 * @param consoleUrl the address of the console that signs in here
 * @param at its port (0: any free one), and the path of its issuer
 */
export async function startOpenIdProvider(
  consoleUrl: string,
  { port = 0, path = '' }: { port?: number; path?: string } = {},
): Promise<TestProvider> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${portOf(server)}${path}`;
  const mount = path.replace(/\/$/, '');
  const people = new Map<string, Person>();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${consoleUrl}/openid/callback`],
        post_logout_redirect_uris: [`${consoleUrl}/sign-in`],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', kid: 'test', use: 'sig' }] },
    cookies: { keys: ['a key of the test'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    claims: { email: ['email', 'email_verified'], profile: ['preferred_username', 'groups'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
    loadExistingGrant: async ({ oidc }) => {
      const accountId = oidc.session?.accountId;
      const grant = new provider.Grant({
        clientId: CLIENT.id,
        ...(accountId !== undefined && { accountId }),
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    interactions: { url: (_context, { uid }) => `${mount}/interaction/${uid}` },
  });

  const test: TestProvider = {
    issuer,
    people,
    person: undefined,
    async follow(address) {
      const cookies = new Map<string, string>();
      let next = address;
      while (next.startsWith(new URL(issuer).origin)) {
        const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
        for (const line of response.headers.getSetCookie()) {
          const [pair = ''] = line.split(';');
          const equals = pair.indexOf('=');
          cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
        }
        const location = response.headers.get('location');
        if (location === null)
          throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
        next = new URL(location, next).href;
      }
      return next;
    },
    close: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
  const handle = provider.callback();
  const signIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await provider.interactionDetails(request, response);
    await provider.interactionFinished(
      request,
      response,
      test.person === undefined
        ? { error: 'access_denied', error_description: 'the person pressed “cancel”' }
        : { login: { accountId: test.person } },
    );
  };
  server.on('request', (request: IncomingMessage & { originalUrl?: string }, response) => {
    // As a router of Node's would, for the provider to know where it is mounted.
    request.originalUrl = request.url ?? '';
    request.url = request.originalUrl.slice(mount.length);
    const isInteraction = request.url.startsWith('/interaction/');
    void (isInteraction ? signIn(request, response) : handle(request, response));
  });
  return test;
}
