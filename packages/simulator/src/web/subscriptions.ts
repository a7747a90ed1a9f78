/**
 * The subscriptions of the simulated browsers. One is made with random keys and kept in memory, or derived: its keys follow
 * from its address, so that many need no memory and another process can make the same ones.
 */
import { createECDH, createHash, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import type { BrowserKeys } from './decrypt.ts';

/** Whose rules and replies an endpoint has; `plain` has those of the RFCs, as a UnifiedPush server. */
export const WEB_SERVICES = ['plain', 'google', 'mozilla', 'mozilla-android', 'apple', 'windows'] as const;
export type WebService = (typeof WEB_SERVICES)[number];

/** A browser's subscription, as its `PushSubscription.toJSON()`. Keys are in base64url. */
export interface WebSubscription {
  endpoint: string;
  expirationTime: null;
  keys: { p256dh: string; auth: string };
}

export interface WebSubscriber {
  /** Default: `plain`. */
  service?: WebService | undefined;
  /** The public key (VAPID, base64url) whose owner alone may send to the subscription; if unset, every sender may. */
  applicationServerKey?: string | undefined;
}

export interface KnownSubscription {
  /** Computed only when asked for: a derived subscription has to compute them. */
  keys(): BrowserKeys;
  /** The 65 bytes of the application server key, in base64url; undefined if the subscription is not bound. */
  boundTo: string | undefined;
  /** The status with which a subscription that was given up is answered. */
  goneStatus: 404 | 410 | undefined;
}

const DERIVED = /^\/push\/(?:[a-z-]+\/)?(?:\?token=)?derived-[\w-]{1,100}(?:%3d)?$/;

export function createWebSubscriptions() {
  const made = new Map<string, Omit<KnownSubscription, 'goneStatus'>>();
  const gone = new Map<string, 404 | 410>();
  return {
    /** Makes a subscription with random keys. @throws if the application server key is not a public key */
    subscribe: (
      origin: string,
      { service = 'plain', applicationServerKey }: WebSubscriber,
    ): WebSubscription => {
      const boundTo = applicationServerKey === undefined ? undefined : checkedKey(applicationServerKey);
      const path = pathOf(service, randomBytes(24).toString('base64url'));
      const keys = { privateKey: privateKeyOf(randomBytes(32)), auth: randomBytes(16) };
      made.set(path, { keys: () => keys, boundTo });
      return subscriptionOf(origin, path, keys);
    },
    /** Gives a subscription up: pushes to it are answered with `status` from now on. */
    unsubscribe: (endpoint: string, status: 404 | 410): void => {
      const { origin } = new URL(endpoint);
      gone.set(endpoint.slice(origin.length), status);
    },
    /** @param path the path and query of a request */
    find: (path: string): KnownSubscription | undefined => {
      const known = made.get(path) ?? findDerived(path);
      return known === undefined ? undefined : { ...known, goneStatus: gone.get(path) };
    },
  };
}

/**
 * The subscription that any simulator knows by its address, without having made it. No application server key is bound to it.
 *
 * @param origin `urls.web` of the simulator
 * @param id 1 to 100 characters of base64url, or a number
 * @throws {RangeError} if the id has another form
 */
export function deriveSubscription(
  origin: string,
  id: string | number,
  service: WebService = 'plain',
): WebSubscription {
  const path = pathOf(service, `derived-${id}`);
  if (!DERIVED.test(path)) throw new RangeError('An id has 1 to 100 characters of base64url.');
  return subscriptionOf(origin, path, derivedKeys(path));
}

/** The service whose endpoint a path is. */
export function serviceOf(path: string): WebService {
  const named = /^\/push\/([a-z-]+)\//.exec(path)?.[1];
  return WEB_SERVICES.find((service) => service === named) ?? 'plain';
}

/** The public key of 65 bytes in base64url. @throws if it is not a point on P-256 */
export function publicKeyOf(base64url: string): KeyObject {
  const bytes = Buffer.from(base64url, 'base64url');
  if (bytes.length !== 65 || bytes[0] !== 4)
    throw new RangeError('A public key has 65 bytes, the first is 4.');
  const x = bytes.toString('base64url', 1, 33);
  const y = bytes.toString('base64url', 33);
  return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
}

function checkedKey(applicationServerKey: string): string {
  publicKeyOf(applicationServerKey);
  return Buffer.from(applicationServerKey, 'base64url').toString('base64url');
}

function findDerived(path: string): Omit<KnownSubscription, 'goneStatus'> | undefined {
  return DERIVED.test(path) ? { keys: () => derivedKeys(path), boundTo: undefined } : undefined;
}

/** Microsoft's endpoints have their token in the query, percent-encoded, and must be requested exactly so. */
function pathOf(service: WebService, id: string): string {
  if (service === 'plain') return `/push/${id}`;
  return service === 'windows' ? `/push/windows/?token=${id}%3d` : `/push/${service}/${id}`;
}

function derivedKeys(path: string): BrowserKeys {
  const hash = (name: string): Buffer => createHash('sha256').update(`${name} ${path}`).digest();
  return { privateKey: privateKeyOf(hash('private key of')), auth: hash('secret of').subarray(0, 16) };
}

/** Below 2^255 each 32 bytes other than zeros are a private key of P-256. */
function privateKeyOf(bytes: Buffer): Buffer {
  bytes.writeUInt8(bytes.readUInt8(0) % 128, 0);
  return bytes;
}

function subscriptionOf(origin: string, path: string, { privateKey, auth }: BrowserKeys): WebSubscription {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(privateKey);
  const keys = { p256dh: pair.getPublicKey().toString('base64url'), auth: auth.toString('base64url') };
  return { endpoint: `${origin}${path}`, expirationTime: null, keys };
}
