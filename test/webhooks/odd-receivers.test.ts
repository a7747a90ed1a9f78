/** Receivers that answer in other ways than receivers should, each byte by byte. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { post, type PostOptions, type PostResult } from '../../src/webhooks/post.ts';
import { makeCertificate } from '../../packages/http2-client/test/peer.ts';
import { type ConnectProxy, openConnectProxy } from '../support/connect-proxy.ts';
import { portOf } from '../support/ports.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map(async (close) => close()));
});

/** Longer than a test waits. */
const NEVER_MS = 600_000;
/** Much longer than it takes to connect. */
const SHORT_MS = 1_000;
const options = {
  allowPrivate: true,
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  timeoutMs: NEVER_MS,
} satisfies PostOptions;

interface Raw {
  url: URL;
  /** Resolves when a connection has been closed. */
  closed: Promise<void>;
}

/** @param answer is called when the head and the body of the request have arrived */
async function receive(
  answer: (socket: Socket) => void,
  certificate?: { key: string; cert: string },
): Promise<Raw> {
  const closed = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const onConnection = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => closed.resolve());
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('{}')) answer(socket);
    });
  };
  const server =
    certificate === undefined ? createServer(onConnection) : createTlsServer(certificate, onConnection);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const scheme = certificate === undefined ? 'http' : 'https';
  return { url: new URL(`${scheme}://localhost:${portOf(server)}/hook`), closed: closed.promise };
}

/** Writes the same again and again, until the connection is closed. */
function endless(socket: Socket, bytes: Buffer | string, everyMs = 0): void {
  const write = (): void => {
    if (!socket.destroyed) socket.write(bytes, () => setTimeout(write, everyMs));
  };
  write();
}

const send = async (url: URL, changes: Partial<PostOptions> = {}): Promise<PostResult> =>
  post(url, { headers: {}, body: '{}' }, { ...options, ...changes });
const say = (text: string) => (socket: Socket) => void socket.end(text);
const head = (status: string, ...headers: string[]): string =>
  [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');

describe('An answer', () => {
  test.each([
    ['204', say(head('204 No Content')), { ok: true, status: 204, error: null }],
    ['205', say(head('205 Reset Content')), { ok: true, status: 205, error: null }],
    ['301', say(head('301 Moved', 'Location: http://127.0.0.1:1/')), { ok: false, status: 301, error: null }],
    ['308', say(head('308 Moved', 'Location: /other')), { ok: false, status: 308, error: null }],
    ['410', say(head('410 Gone')), { ok: false, status: 410, error: null }],
    ['a status that does not exist', say(head('999 Odd')), { ok: false, status: 999, error: null }],
    ['a status of four digits', say(head('2000 Odd')), { error: 'HPE_INVALID_STATUS' }],
    ['no status', say('HTTP/1.1 OK\r\n\r\n'), { error: 'HPE_INVALID_STATUS' }],
    ['early hints first', say(head('103 Early Hints') + head('200 OK')), { ok: true, status: 200 }],
    [
      'another protocol that nobody asked for',
      say(head('101 Switching', 'Upgrade: x', 'Connection: upgrade')),
      {
        ok: false,
        status: null,
        error: 'connection_failed',
      },
    ],
    ['not HTTP', say('SSH-2.0-OpenSSH\r\n'), { error: 'HPE_INVALID_CONSTANT' }],
    ['nothing, and closes', (socket: Socket) => void socket.end(), { error: 'ECONNRESET' }],
    ['nothing, and resets', (socket: Socket) => void socket.resetAndDestroy(), { error: 'ECONNRESET' }],
    ['a head that ends too early', say('HTTP/1.1 200 OK\r\nContent-'), { error: 'ECONNRESET' }],
    [
      'headers of more than 16 KiB',
      say(head('200 OK', `X: ${'x'.repeat(40_000)}`)),
      {
        error: 'HPE_HEADER_OVERFLOW',
      },
    ],
    ['less than it announced', say(`${head('200 OK', 'Content-Length: 100')}{`), { ok: true, status: 200 }],
    ['with a wait', say(head('429 Slow', 'Retry-After: 120')), { status: 429, retryAfter: '120' }],
  ])('the answer of a receiver is judged by its head: %s', async (_, answer, result) => {
    const { url } = await receive(answer);
    expect(await send(url)).toMatchObject(result);
  });

  test.each([
    ['without an end', 'x'.repeat(1_000)],
    ['that is compressed, and a thousand times as large unpacked', gzipSync(Buffer.alloc(50_000_000))],
  ])('an answer with a body %s counts, and the connection is closed after 8 KiB', async (_, bytes) => {
    const headers = ['Content-Encoding: gzip', 'Transfer-Encoding: identity'];
    const { url, closed } = await receive((socket) => {
      socket.write(head('200 OK', ...headers));
      endless(socket, bytes);
    });
    expect(await send(url)).toMatchObject({ ok: true, status: 200 });
    await closed;
  });

  test('an answer whose body is reset after its head counts', async () => {
    const { url } = await receive((socket) => {
      socket.write(`${head('200 OK', 'Content-Length: 100')}{`, () => socket.resetAndDestroy());
    });
    expect(await send(url)).toMatchObject({ ok: true, status: 200 });
  });
});

describe('The time limit', () => {
  test.each([
    ['a byte of the head now and then', 'x'],
    ['one interim answer after the other', head('100 Continue')],
    ['one header after the other', 'X: y\r\n'],
  ])('the time limit is for the whole attempt, even if the receiver sends %s', async (_, bytes) => {
    const { url, closed } = await receive((socket) => {
      if (bytes.startsWith('X')) socket.write('HTTP/1.1 200 OK\r\n');
      endless(socket, bytes === 'x' ? 'H' : bytes, 20);
    });
    // `H` alone is no HTTP and ends sooner.
    const { error, ok } = await send(url, { timeoutMs: SHORT_MS });
    expect(ok).toBe(false);
    expect(['timeout', 'HPE_INVALID_CONSTANT', 'HPE_HEADER_OVERFLOW']).toContain(error);
    await closed;
  });

  test('the time limit ends an attempt without any answer', async () => {
    const { url, closed } = await receive(() => undefined);
    expect(await send(url, { timeoutMs: SHORT_MS })).toEqual({ ok: false, status: null, error: 'timeout' });
    await closed;
  });
});

test('a certificate of a private authority is refused with its own code', async () => {
  const certificate = await makeCertificate(['localhost']);
  const { url } = await receive(say(head('204 No Content')), certificate);
  expect(await send(url)).toMatchObject({ ok: false, error: expect.stringMatching(/SELF_SIGNED|VERIFY/) });
});

async function through(): Promise<ConnectProxy> {
  const proxy = await openConnectProxy();
  closers.push(async () => proxy.close());
  return proxy;
}

describe('Through a proxy', () => {
  test.each([
    // The proxy leads all addresses to this machine, where nobody has the certificate.
    [true, 'hooks.example.test', 'hooks.example.test:8443'],
    [false, 'hooks.example.test', '93.184.215.14:8443'],
    [false, '93.184.215.14', '93.184.215.14:8443'],
  ])(
    'a request (private addresses allowed: %s) reaches the proxy for %s as %s',
    async (allowPrivate, host, asked) => {
      const proxy = await through();
      proxy.behave(403);
      const result = await send(new URL(`https://${host}:8443/hook`), {
        allowPrivate,
        proxy: { url: proxy.url, except: '' },
        resolve: async () => [
          { address: '10.0.0.1', family: 4 },
          { address: '93.184.215.14', family: 4 },
        ],
      });
      expect(result).toEqual({ ok: false, status: null, error: 'proxy_failed' });
      expect(proxy.asked).toEqual([asked]);
    },
  );

  test('a name that leads to private addresses is not requested from the proxy', async () => {
    const proxy = await through();
    const result = await send(new URL('https://hooks.example.test/hook'), {
      allowPrivate: false,
      proxy: { url: proxy.url, except: '' },
      resolve: async () => [{ address: '10.0.0.1', family: 4 }],
    });
    expect(result).toMatchObject({ ok: false, error: 'address_refused' });
    expect(proxy.asked).toEqual([]);
  });

  test('the certificate behind a proxy must be that of the receiver', async () => {
    const proxy = await through();
    const certificate = await makeCertificate(['localhost']);
    const { url } = await receive(say(head('204 No Content')), certificate);
    const result = await send(new URL(`https://0.0.0.0:${url.port}/hook`), {
      proxy: { url: proxy.url, except: '' },
    });
    expect(result).toMatchObject({ ok: false, error: expect.stringMatching(/SELF_SIGNED|VERIFY/) });
    expect(proxy.asked).toEqual([`0.0.0.0:${url.port}`]);
  });

  test('an address in NO_PROXY is connected to without the proxy', async () => {
    const proxy = await through();
    const { url } = await receive(say(head('204 No Content')));
    expect(await send(url, { proxy: { url: proxy.url, except: '*' } })).toMatchObject({ status: 204 });
    expect(proxy.asked).toEqual([]);
  });
});
