/** A server that webhooks lead to, and what came to it. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { afterEach } from 'vitest';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
}

/** @returns a receiver that the caller closes; `useReceivers` does both */
export async function startReceiver(answer: RequestListener): Promise<Receiver & { close(): Promise<void> }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ path: request.url ?? '', headers: request.headers, body });
      answer(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}/hook`, received, close };
}

/** Receivers for the tests of a file: each is closed after the test that opened it. */
export function useReceivers(): (answer: RequestListener) => Promise<Receiver> {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closers.splice(0).map(async (close) => close()));
  });
  return async (answer) => {
    const receiver = await startReceiver(answer);
    closers.push(async () => receiver.close());
    return receiver;
  };
}

/** Verifies a signature by WebCrypto, by the text of the Standard Webhooks specification. */
export async function verifies(secret: string, { headers, body }: Received): Promise<boolean> {
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const [version, signature = ''] = String(headers['webhook-signature']).split(',');
  const signatureBytes = Uint8Array.from(atob(signature), (character) => character.charCodeAt(0));
  return (
    version === 'v1' &&
    (await crypto.subtle.verify('HMAC', key, signatureBytes, new TextEncoder().encode(signed)))
  );
}
