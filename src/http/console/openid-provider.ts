/** The OpenID provider of the settings, through `openid-client`. The library is loaded when the first user signs in. */
import type { Configuration } from 'openid-client';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { withinTime } from '../../scheduling/time-limit.ts';
import type { Identity } from '../../console/accounts/oidc-users.ts';

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Words separated by spaces, `openid` among them. */
  scope: string;
  /** The claim that lists the groups of a user. */
  groupsClaim: string;
  /** The address of the console, without a slash at its end. */
  consoleUrl: string;
}

/** Values that must be the same when the browser comes back. */
interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

const REQUEST_TIMEOUT_S = 5;
const FINISH_TIMEOUT_MS = 20_000;
/** After this time, the provider's addresses and methods are read again. */
const DISCOVERED_FOR_MS = 3_600_000;

const namesSchema = z.object({
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  preferred_username: z.string().optional(),
  name: z.string().optional(),
});
const groupsSchema = z.union([z.array(z.string()), z.string().transform((one) => [one])]);

export function openProvider(settings: ProviderSettings, clock: Clock) {
  const { issuer, clientId, clientSecret, scope, groupsClaim, consoleUrl } = settings;
  const redirectUri = `${consoleUrl}/openid/callback`;
  let discovered: { config: Promise<Configuration>; atMs: number } | undefined;

  const discover = async (): Promise<Configuration> => {
    const nowMs = clock().getTime();
    if (discovered !== undefined && nowMs - discovered.atMs < DISCOVERED_FOR_MS) return discovered.config;
    const found = ask();
    discovered = { config: found, atMs: nowMs };
    try {
      return await found;
    } catch (error) {
      discovered = undefined;
      throw error;
    }
  };

  /** A slash at the end is part of an issuer's name (Authentik's has one, Keycloak's does not), and easily mistaken. */
  async function ask(): Promise<Configuration> {
    try {
      return await askAt(issuer);
    } catch (error) {
      const other = issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`;
      if (isUnreachable(error) || new URL(other).href === new URL(issuer).href) throw error;
      return askAt(other).catch(() => {
        throw error;
      });
    }
  }

  async function askAt(address: string): Promise<Configuration> {
    const client = await import('openid-client');
    const url = new URL(address);
    return client.discovery(
      url,
      clientId,
      undefined,
      // Providers register a client for one method; this one is the default of the specification.
      (server, ...rest) => {
        const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
        const authenticate = methods.includes('client_secret_basic')
          ? client.ClientSecretBasic(clientSecret)
          : client.ClientSecretPost(clientSecret);
        authenticate(server, ...rest);
      },
      {
        timeout: REQUEST_TIMEOUT_S,
        // The settings allow plain HTTP on the same machine only.
        ...(url.protocol === 'http:' && { execute: [client.allowInsecureRequests] }),
      },
    );
  }

  return {
    /** @returns the address at which the user signs in, and the checks for the way back */
    async begin(): Promise<{ url: URL; checks: Checks }> {
      const client = await import('openid-client');
      const config = await discover();
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return { url, checks };
    },
    /**
     * @param query the query of the address to which the provider has sent the browser back
     * @throws {Error} if it does not fit the checks, or if the provider refuses
     */
    async finish(query: string, checks: Checks): Promise<Identity> {
      return withinTime(FINISH_TIMEOUT_MS, identify(new URL(`${redirectUri}${query}`), checks));
    },
    /** @returns the address at which the user signs out of the provider; undefined if it has none */
    async signOutUrl(): Promise<URL | undefined> {
      const client = await import('openid-client');
      const config = await discover();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(config, { post_logout_redirect_uri: `${consoleUrl}/sign-in` });
    },
  };

  async function identify(back: URL, { state, nonce, verifier }: Checks): Promise<Identity> {
    const client = await import('openid-client');
    const config = await discover();
    const tokens = await client.authorizationCodeGrant(config, back, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const idClaims = tokens.claims();
    if (idClaims === undefined) throw new Error('the provider sent no ID token');
    // Some providers put groups into the ID token, others only into the reply of the userinfo endpoint.
    const hasEndpoint = config.serverMetadata().userinfo_endpoint !== undefined;
    const claims =
      idClaims[groupsClaim] === undefined && hasEndpoint
        ? { ...(await client.fetchUserInfo(config, tokens.access_token, idClaims.sub)), ...idClaims }
        : idClaims;
    return identityOf({ issuer: idClaims.iss, subject: idClaims.sub }, claims, claims[groupsClaim]);
  }
}

/** Whether the provider did not answer at all. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  // `fetch` throws a TypeError without a code if it cannot connect.
  return (
    (error.name === 'TypeError' && code === undefined) ||
    error.name === 'TimeoutError' ||
    code === 'OAUTH_TIMEOUT'
  );
}

function identityOf(ids: Pick<Identity, 'issuer' | 'subject'>, claims: unknown, groups: unknown): Identity {
  const named = namesSchema.safeParse(claims).data ?? {};
  const listed = groupsSchema.safeParse(groups);
  const email = named.email_verified === false ? undefined : named.email;
  return {
    ...ids,
    names: [email, named.preferred_username, named.name].filter((name) => name !== undefined),
    groups: listed.success ? listed.data : [],
  };
}
