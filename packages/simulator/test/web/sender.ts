/** An application server for the tests: signs and encrypts as RFC 8292 and RFC 8291 say, and can be made to err. */
import { createCipheriv, createECDH, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import type { WebSubscription } from '../../src/web/subscriptions.ts';
import { type Answer, type Client, jwt, seconds } from '../client.ts';
import type { Harness } from '../harness.ts';

export interface Sender {
  /** The VAPID public key, in base64url. */
  readonly publicKey: string;
  /** The value of an authorization header that is valid for an hour, but for what is given. */
  authorization(origin: string, now: Date, claims?: Record<string, unknown>): string;
}

export function createSender(): Sender {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = privateKey.export({ format: 'jwk' });
  const point = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  const publicKey = Buffer.concat(point).toString('base64url');
  return {
    publicKey,
    authorization: (origin, now, claims = {}) => {
      const usual = { aud: origin, exp: seconds(now) + 3600, sub: 'mailto:push@example.com' };
      return `vapid t=${jwt('ES256', privateKey, { typ: 'JWT' }, { ...usual, ...claims })}, k=${publicKey}`;
    },
  };
}

/** @param change `padding`: zeros after the delimiter; `delimiter` and `recordSize`, where they shall be wrong */
export function encrypt(
  text: string,
  { keys }: WebSubscription,
  change: { padding?: number; delimiter?: number; recordSize?: number } = {},
): Buffer {
  const { padding = 0, delimiter = 2, recordSize = 4096 } = change;
  const salt = randomBytes(16);
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys();
  const browserKey = Buffer.from(keys.p256dh, 'base64url');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browserKey, publicKey]);
  const auth = Buffer.from(keys.auth, 'base64url');
  const secret = Buffer.from(hkdfSync('sha256', pair.computeSecret(browserKey), auth, info, 32));
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12));
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const padded = Buffer.concat([Buffer.from(text), Buffer.from([delimiter]), Buffer.alloc(padding)]);
  const head = Buffer.alloc(21);
  salt.copy(head);
  head.writeUInt32BE(recordSize, 16);
  head.writeUInt8(65, 20);
  return Buffer.concat([head, publicKey, cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
}

/** What a test changes in a valid push. A header that is undefined is not sent. */
export interface Change {
  headers?: Record<string, string | undefined>;
  claims?: Record<string, unknown>;
  text?: string;
  body?: Buffer;
}

/** Sends one valid push to a browser over HTTP/2, but for what is given. */
export async function pushWeb(
  { simulator, now }: Pick<Harness, 'simulator' | 'now'>,
  client: Client,
  sender: Sender,
  subscription: WebSubscription,
  { headers, claims, text = '{"title":"Hello","data":{"_nid":"n1"}}', body }: Change = {},
): Promise<Answer> {
  const origin = simulator.urls.web;
  return client.request(
    {
      ':path': subscription.endpoint.slice(origin.length),
      authorization: sender.authorization(origin, now, claims),
      ttl: '60',
      'content-encoding': 'aes128gcm',
      ...headers,
    },
    body ?? encrypt(text, subscription),
  );
}
