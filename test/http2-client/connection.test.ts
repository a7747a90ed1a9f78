/** The protocol at its edges, against node:http2 and against peers that break it. */
import { once } from 'node:events';
import { constants, type ServerHttp2Stream, type Settings } from 'node:http2';
import { createServer, type TLSSocket } from 'node:tls';
import * as fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Answer } from '../../src/http2-client/answer.ts';
import { Http2Connection } from '../../src/http2-client/connection.ts';
import { Incoming } from '../../src/http2-client/incoming.ts';
import type { Exchange } from '../../src/http2-client/outgoing.ts';
import type { TransportFailure } from '../../src/http2-client/transport-reason.ts';
import { trustAlso } from '../../src/http2-client/trust.ts';
import { bodyOf, makeCertificate, openPeer, portOf, respond, type Certificate } from './peer.ts';
import type { StreamHandler } from './peer.ts';
import { frame, settings } from './raw-peer.ts';

const TARGET = [':method', 'POST', ':scheme', 'https', ':authority', 'localhost'];
const OVER: TransportFailure = { reason: 'closed_by_us' };
const open: { close(): Promise<void> | void }[] = [];
let certificate: Certificate;

beforeAll(async () => {
  certificate = await makeCertificate();
});

afterEach(async () => {
  for (const resource of open.splice(0).toReversed()) await resource.close();
});

interface Client {
  connection: Http2Connection<Exchange>;
  /** Sends as soon as there is room. */
  ask: (path: string, body?: string) => Promise<Answer>;
  closed: Promise<TransportFailure>;
}

function connectTo(origin: string): Client {
  const { promise: closed, resolve: close } = Promise.withResolvers<TransportFailure>();
  const settlers = new Map<Exchange, (answer: Answer) => void>();
  const line: Exchange[] = [];
  const pump = (): void => {
    while (connection.isWritable && connection.size < connection.peerStreamsMax) {
      const next = line.shift();
      if (next === undefined) return;
      connection.send(next);
    }
  };
  const options = { origin, secureContext: trustAlso(certificate.cert), schedule: setImmediate };
  const connection = new Http2Connection<Exchange>(options, {
    onSettings: pump,
    onRoom: pump,
    onAnswer: ({ exchange }, answer) => {
      settlers.get(exchange)?.(answer);
      pump();
    },
    onDraining: () => undefined,
    onPong: () => undefined,
    onClose: close,
  });
  open.push({ close: () => connection.destroy(OVER) });
  return {
    connection,
    closed,
    ask: (path, body = '') =>
      new Promise((resolve) => {
        const exchange = { path, headers: TARGET, ownHeaders: [], body };
        settlers.set(exchange, resolve);
        line.push(exchange);
        pump();
      }),
  };
}

async function clientOf(onStream: StreamHandler, options: object = {}): Promise<Client> {
  const peer = await openPeer(certificate, onStream, options);
  open.push(peer);
  return connectTo(peer.origin);
}

/** A peer below HTTP/2: it says the given bytes once it has been greeted, and keeps what it hears. */
async function clientOfBytes(...bytes: Buffer[]): Promise<Client & { heard: () => Buffer }> {
  const chunks: Buffer[] = [];
  const sockets = new Set<TLSSocket>();
  const server = createServer({ ...certificate, ALPNProtocols: ['h2'] }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(Buffer.concat(bytes)));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
  return { ...connectTo(`https://localhost:${portOf(server)}`), heard: () => Buffer.concat(chunks) };
}

describe('bodies larger than the windows', () => {
  const cases: [string, Settings][] = [
    ['streams of 100 bytes', { initialWindowSize: 100 }],
    ['streams that open with no window at all', { initialWindowSize: 0 }],
    ['the usual windows', {}],
    ['no table for headers', { headerTableSize: 0 }],
  ];
  test.each(cases)('arrive whole: %s', async (_name, peerSettings) => {
    const { ask } = await clientOf(
      async (stream, _headers, session) => {
        // A window of none is widened once by hand; the others by node:http2 as it reads.
        if (peerSettings.initialWindowSize === 0 && stream.id === 1)
          session.settings({ initialWindowSize: 50_000 });
        respond(stream, 400, await bodyOf(stream));
      },
      { settings: peerSettings },
    );
    const sizes = Array.from({ length: 60 }, (_, n) => (n * 977) % 12_000);
    const answers = await Promise.all(sizes.map(async (size) => ask('/', 'x'.repeat(size))));
    expect(answers.map((answer) => answer.kind === 'answered' && answer.body.length)).toEqual(sizes);
  });

  test('each arrives as its own, with thousands in turn through the same buffers', async () => {
    const { ask } = await clientOf(async (stream) => respond(stream, 400, await bodyOf(stream)));
    const bodies = Array.from({ length: 2_000 }, (_, n) => `${n} `.repeat(n % 300));
    const answers = await Promise.all(bodies.map(async (body) => ask('/', body)));
    expect(answers.map((answer) => answer.kind === 'answered' && answer.body)).toEqual(bodies);
  });

  test('a body larger than a frame may be goes in several', async () => {
    const { ask } = await clientOf(async (stream) => {
      respond(stream, 400, String((await bodyOf(stream)).length));
    });
    expect(await ask('/', 'x'.repeat(100_000))).toMatchObject({ body: '100000' });
  });

  test('the rest of a body is dropped where the answer does not wait for it', async () => {
    const { ask } = await clientOf((stream) => respond(stream, 413), { settings: { initialWindowSize: 10 } });
    expect(await ask('/', 'x'.repeat(100_000))).toMatchObject({ kind: 'answered', status: 413 });
    expect(await ask('/', 'short')).toMatchObject({ kind: 'answered', status: 413 });
  });
});

describe('answers in unusual form', () => {
  test('padding, interim answers, trailers and long headers change nothing', async () => {
    const { ask } = await clientOf(
      (stream: ServerHttp2Stream) => {
        stream.additionalHeaders({ ':status': 103, link: '</x>' });
        stream.respond({ ':status': 201, 'x-long': 'y'.repeat(40_000) }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'x-after': 'all' }));
        stream.end('body');
      },
      { paddingStrategy: constants.PADDING_STRATEGY_MAX },
    );
    const answer = await ask('/');
    expect(answer).toMatchObject({ kind: 'answered', status: 201, body: 'body' });
    expect(answer.kind === 'answered' && answer.headers['x-long']).toHaveLength(40_000);
  });

  test('a header block cut into single bytes is one block', async () => {
    const block = Buffer.from('8c58036162630f0d0133', 'hex'); // :status 400, cache-control abc, content-length 3
    const pieces = [...block].map((byte, n) =>
      frame(n === 0 ? 1 : 9, n === block.length - 1 ? 4 : 0, 1, Buffer.from([byte])),
    );
    const client = await clientOfBytes(settings(), ...pieces, frame(0, 1, 1, 'abc'));
    const answer = await client.ask('/');
    expect(answer).toMatchObject({ kind: 'answered', status: 400, body: 'abc' });
  });

  test('a PING is answered with its own bytes', async () => {
    const client = await clientOfBytes(settings(), frame(6, 0, 0, '12345678'));
    await vi.waitFor(() => expect(client.heard().includes(frame(6, 1, 0, '12345678'))).toBe(true));
  });

  test('of an answer by which a push was taken, the body is not kept, however large', async () => {
    const { ask } = await clientOf((stream) => respond(stream, 200, 'x'.repeat(10_000), { 'x-a': 'b' }));
    const answers = await Promise.all(Array.from({ length: 400 }, async () => ask('/')));
    for (const answer of answers) {
      expect(answer).toMatchObject({ kind: 'answered', status: 200, headers: { 'x-a': 'b' }, body: '' });
    }
  });

  test('a megabyte of answers does not close the window', async () => {
    const { ask } = await clientOf((stream) => respond(stream, 400, 'x'.repeat(10_000)));
    const answers = await Promise.all(Array.from({ length: 400 }, async () => ask('/')));
    expect(answers.every((answer) => answer.kind === 'answered' && answer.body.length === 10_000)).toBe(true);
  });
});

test('a peer that does not speak HTTP/2 is not spoken to', async () => {
  const server = createServer(certificate, (socket) => {
    socket.on('error', () => undefined);
    socket.resume();
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  expect(await connectTo(`https://localhost:${portOf(server)}`).closed).toEqual({ reason: 'not_http2' });
});

describe('what became of a request', () => {
  test('one that was not written yet when the connection ends was never sent', async () => {
    const { connection, ask, closed } = await clientOf(() => undefined);
    await vi.waitFor(() => expect(connection.isWritable).toBe(true));
    const answer = ask('/');
    connection.destroy(OVER);
    expect(await answer).toEqual({ kind: 'never_sent', ...OVER });
    expect(await closed).toEqual(OVER);
  });

  test('headers larger than a frame are refused, and the connection goes on', async () => {
    const { connection, ask } = await clientOf((stream) => respond(stream));
    expect(await ask('/')).toMatchObject({ kind: 'answered' });
    const exchange = { path: `/${'x'.repeat(20_000)}`, headers: TARGET, ownHeaders: [], body: '' };
    expect(connection.send(exchange)).toBe(false);
    expect(await ask('/')).toMatchObject({ kind: 'answered' });
  });

  test('an ended connection waits for the answers, then hangs up by itself', async () => {
    const held: ServerHttp2Stream[] = [];
    const { connection, ask, closed } = await clientOf((stream) => {
      held.push(stream);
    });
    const answers = [ask('/1'), ask('/2')];
    await vi.waitFor(() => expect(held).toHaveLength(2));
    connection.end(OVER);
    expect(connection.isWritable).toBe(false);
    for (const stream of held) respond(stream);
    expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['answered', 'answered']);
    expect(await closed).toEqual(OVER);
  });
});

test('however the bytes are cut, the same is understood', () => {
  const bytes = Buffer.concat([
    settings(),
    frame(1, 4, 1, Buffer.from('88', 'hex')),
    frame(0, 8, 1, Buffer.from([2, 65, 66, 0, 0])),
    frame(2, 0, 1, '12345'), // PRIORITY, passed over
    frame(0x2a, 0, 0, 'unknown'),
    frame(6, 0, 0, '12345678'),
    frame(3, 0, 3, Buffer.from([0, 0, 0, 7])),
    frame(8, 0, 0, Buffer.from([0, 0, 1, 0])),
    frame(7, 0, 0, Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), Buffer.from('enhance your calm')])),
  ]);
  const understood = (cuts: number[]): string[] => {
    const told: string[] = [];
    const tell =
      (name: string) =>
      (...said: unknown[]): void => {
        told.push(
          `${name} ${said.map((value) => (Buffer.isBuffer(value) ? value.toString() : JSON.stringify(value))).join()}`,
        );
      };
    const incoming = new Incoming({
      onHeaders: tell('headers'),
      onBody: tell('body'),
      onReset: tell('reset'),
      onSettings: tell('settings'),
      onPing: tell('ping'),
      onPong: tell('pong'),
      onGoaway: tell('goaway'),
      onWindowUpdate: tell('window'),
      onNothing: tell('nothing'),
    });
    const place = Buffer.alloc(bytes.length); // all that comes, comes to the same place
    let from = 0;
    for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
      incoming.read(place, bytes.copy(place, 0, from, cut));
      place.fill(0xff);
      from = cut;
    }
    return told;
  };
  const whole = understood([]);
  expect(whole).toEqual([
    'settings []',
    'headers 1,{"fields":[":status","200"],"isMalformed":false},false,1',
    'body 1,AB,5,false',
    'nothing ',
    'nothing ',
    'ping 12345678',
    'reset 3,7',
    'window 0,256',
    'goaway 1,0,enhance your calm',
  ]);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 30 }), (cuts) => {
      expect(understood(cuts)).toEqual(whole);
    }),
  );
});
