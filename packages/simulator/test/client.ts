/** Bare clients for the simulator's tests: nothing between the test and the protocol. */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import type { ServiceAccount } from '../src/google/accounts.ts';

export interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  body: string;
  /** The stream's HTTP/2 error code; 0 where it ended well. */
  resetCode: number;
}

export interface Client {
  readonly session: ClientHttp2Session;
  /** Resolves once the stream is closed, however it ended. */
  request(headers: OutgoingHttpHeaders, body?: string | Buffer): Promise<Answer>;
  /** Ends the session at once: Node does not report every end of one. */
  close(): void;
}

/** Resolves once the server's first SETTINGS are in. */
export async function openClient(url: string, ca: string): Promise<Client> {
  const client = openEagerClient(url, ca);
  await new Promise((resolve, reject) => {
    client.session.once('remoteSettings', resolve);
    client.session.once('error', reject);
  });
  return client;
}

/** Sends before it has seen the server's SETTINGS, as a fresh connection may. */
export function openEagerClient(url: string, ca: string): Client {
  const session = connect(url, { ca });
  session.on('error', () => undefined); // every stream reports its own error
  return {
    session,
    request: (headers, body = '') =>
      new Promise((resolve) => {
        const stream = session.request({ ':method': 'POST', ...headers }, { endStream: false });
        const answer: Answer = { status: undefined, headers: {}, body: '', resetCode: 0 };
        stream.setEncoding('utf8');
        stream.on('response', (replied) => {
          answer.status = replied[':status'];
          answer.headers = replied;
        });
        stream.on('data', (text: string) => {
          answer.body += text;
        });
        stream.on('error', () => undefined);
        stream.on('close', () => resolve({ ...answer, resetCode: stream.rstCode }));
        stream.end(body);
      }),
    close: () => session.destroy(),
  };
}

/** One request over HTTP/1.1. */
export function requestHttp1(
  url: string,
  ca: string,
  { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string | Buffer },
): Promise<Omit<Answer, 'resetCode'>> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, { method: 'POST', ca, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

export function jwt(
  algorithm: 'ES256' | 'RS256',
  key: KeyObject,
  header: Record<string, unknown>,
  claims: Record<string, unknown>,
): string {
  const signed = `${base64url({ alg: algorithm, ...header })}.${base64url(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function base64url(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Seconds since 1970. */
export function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

export function providerToken(
  key: { teamId: string; keyId: string; privateKeyPem: string },
  issuedAt: Date,
): string {
  return jwt(
    'ES256',
    createPrivateKey(key.privateKeyPem),
    { kid: key.keyId },
    { iss: key.teamId, iat: seconds(issuedAt) },
  );
}

export function grantForm(
  account: Pick<ServiceAccount, 'client_email' | 'private_key' | 'private_key_id' | 'token_uri'>,
  issuedAt: Date,
  claims: Record<string, unknown> = {},
): string {
  const assertion = jwt(
    'RS256',
    createPrivateKey(account.private_key),
    { typ: 'JWT', kid: account.private_key_id },
    {
      iss: account.client_email,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: account.token_uri,
      iat: seconds(issuedAt),
      exp: seconds(issuedAt) + 3600,
      ...claims,
    },
  );
  const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  return new URLSearchParams({ grant_type: grantType, assertion }).toString();
}

/** A 32-byte push token of Apple's, as hex. */
export function appleToken(number: number): string {
  return `f${number.toString(16).padStart(63, '0')}`; // all zeros are of no device
}
