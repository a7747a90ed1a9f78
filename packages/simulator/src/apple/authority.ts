/**
 * The teams that may push through the local Apple, with their signing keys, topics and provider tokens. A token's
 * signature is verified once, and its age with every request.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AppleReason } from './reasons.ts';
import type { AppleEnvironment } from '../ledger.ts';
import { isSignedBy, issuedClaims, readJwt } from '../jwt.ts';

export interface AppleKeyOwner {
  teamId: string;
  keyId: string;
  /** A topic that the team may push to. A team may have several. */
  bundleId: string;
  /** The environment that the key is valid for; if unset, both. */
  environment?: AppleEnvironment | undefined;
}

export interface AppleTeam {
  readonly teamId: string;
  readonly topics: Set<string>;
  lastTokenAtSeconds: number;
}

interface ProviderKey {
  team: AppleTeam;
  publicKey: KeyObject;
  environment: AppleEnvironment | undefined;
}

/** The signer of a token, and its time of issue. */
interface Provider extends Pick<ProviderKey, 'team' | 'environment'> {
  issuedAtSeconds: number;
}

/** A provider token is valid for an hour and may be renewed every twenty minutes. */
const TOKEN_AGE_MAX_SECONDS = 3600;
const TOKEN_RENEWAL_MIN_SECONDS = 1200;
const VERIFIED_TOKENS_MAX = 1000;

export type AppleAuthority = ReturnType<typeof createAppleAuthority>;

export function createAppleAuthority(options: { clock: () => Date; limitTokenUpdates: boolean }) {
  const teams = new Map<string, AppleTeam>();
  const keys = new Map<string, ProviderKey>();
  const verified = new Map<string, Provider>();

  /** Registers the public key of a key that was made elsewhere. @throws if the text is not a key in PEM */
  const registerKey = (
    { teamId, keyId, bundleId, environment }: AppleKeyOwner,
    publicKeyPem: string,
  ): void => {
    const publicKey = createPublicKey(publicKeyPem);
    const team = teams.get(teamId) ?? { teamId, topics: new Set(), lastTokenAtSeconds: -Infinity };
    team.topics.add(bundleId);
    teams.set(teamId, team);
    keys.set(keyId, { team, publicKey, environment });
    verified.clear();
  };

  const verifyToken = (token: string): Provider | undefined => {
    const jwt = readJwt(token, issuedClaims);
    const key = keys.get(jwt?.header.kid ?? '');
    if (jwt === undefined || key === undefined || jwt.claims.iss !== key.team.teamId) return undefined;
    return isSignedBy(jwt, 'ES256', key.publicKey)
      ? { team: key.team, issuedAtSeconds: jwt.claims.iat, environment: key.environment }
      : undefined;
  };

  return {
    /** Creates a signing key and registers its public key. `privateKeyPem` is the content of a `.p8` file. */
    createKey: (owner: AppleKeyOwner): AppleKeyOwner & { privateKeyPem: string } => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', {
        namedCurve: 'P-256',
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      registerKey(owner, publicKey);
      return { ...owner, privateKeyPem: privateKey };
    },
    registerKey,
    /** `connectionTeam`: the team of the connection's earlier requests. */
    authorize: (
      authorization: string | undefined,
      connectionTeam: AppleTeam | undefined,
      environment: AppleEnvironment,
    ): AppleTeam | AppleReason => {
      const token = /^bearer (.+)$/i.exec(authorization ?? '')?.[1];
      if (token === undefined) return 'MissingProviderToken';
      const known = verified.get(token);
      const provider = known ?? verifyToken(token);
      const nowSeconds = options.clock().getTime() / 1000;
      if (provider === undefined || provider.issuedAtSeconds > nowSeconds) {
        return 'InvalidProviderToken';
      }
      if (nowSeconds - provider.issuedAtSeconds > TOKEN_AGE_MAX_SECONDS) {
        return 'ExpiredProviderToken';
      }
      if (provider.environment !== undefined && provider.environment !== environment) {
        return 'BadEnvironmentKeyInToken';
      }
      const { team } = provider;
      if (connectionTeam !== undefined && connectionTeam !== team) return 'UnrelatedKeyIdInToken';
      if (known === undefined) {
        if (options.limitTokenUpdates && nowSeconds - team.lastTokenAtSeconds < TOKEN_RENEWAL_MIN_SECONDS) {
          return 'TooManyProviderTokenUpdates';
        }
        team.lastTokenAtSeconds = nowSeconds;
        if (verified.size >= VERIFIED_TOKENS_MAX) verified.clear();
        verified.set(token, provider);
      }
      return team;
    },
  };
}
