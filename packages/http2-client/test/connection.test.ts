/** The edges of the protocol, against node:http2 and against peers that write bytes of their own. */
import { constants, type ServerHttp2Stream, type Settings } from 'node:http2';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { Answer } from '../src/answer.ts';
import { Http2Connection } from '../src/connection.ts';
import { Incoming } from '../src/incoming.ts';
import type { Http2Request } from '../src/outgoing.ts';
import type { TransportFailure } from '../src/transport-reason.ts';
import { trustAlso } from '../src/socket.ts';
import { bodyOf, respond, type StreamHandler } from './peer.ts';
import { certificateOfPeers, HEADERS, usePools } from './pools.ts';
import { frame, settings } from './raw-peer.ts';
import { PATIENCE } from './waiting.ts';

const OVER: TransportFailure = { reason: 'closed_by_us' };
const { keepOpen, listenTls, peerOf } = usePools({});

interface Client {
  connection: Http2Connection<Http2Request>;
  /** Sends a request as soon as the connection is writable. */
  ask: (path: string, body?: string) => Promise<Answer>;
  closed: Promise<TransportFailure>;
}

async function connectTo(origin: string): Promise<Client> {
  const { cert } = await certificateOfPeers();
  const { promise: closed, resolve: close } = Promise.withResolvers<TransportFailure>();
  const resolvers = new Map<Http2Request, (answer: Answer) => void>();
  const queue: Http2Request[] = [];
  const pump = (): void => {
    while (connection.isWritable && connection.size < connection.peerStreamsMax) {
      const next = queue.shift();
      if (next === undefined) return;
      connection.send(next);
    }
  };
  const options = {
    origin,
    secureContext: trustAlso(cert),
    schedule: setImmediate,
    tunnel: undefined,
  };
  const connection = new Http2Connection<Http2Request>(options, {
    onSettings: pump,
    onWritable: pump,
    onAnswer: ({ request }, answer) => {
      resolvers.get(request)?.(answer);
      pump();
    },
    onDraining: () => undefined,
    onPong: () => undefined,
    onClose: close,
  });
  keepOpen({ close: () => connection.destroy(OVER) });
  return {
    connection,
    closed,
    ask: (path, body = '') =>
      new Promise((resolve) => {
        const request = { path, headers: HEADERS, ownHeaders: [], body };
        resolvers.set(request, resolve);
        queue.push(request);
        pump();
      }),
  };
}

async function clientOf(onStream: StreamHandler, options: object = {}): Promise<Client> {
  return connectTo((await peerOf(onStream, options)).origin);
}

/** A TLS peer that writes the given bytes after the preface, and keeps what it receives. */
async function clientOfBytes(...bytes: Buffer[]): Promise<Client & { received: () => Buffer }> {
  const chunks: Buffer[] = [];
  const origin = await listenTls((socket) => {
    socket.once('data', () => socket.write(Buffer.concat(bytes)));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  });
  return { ...(await connectTo(origin)), received: () => Buffer.concat(chunks) };
}

describe('request bodies larger than the windows', () => {
  const cases: [string, Settings][] = [
    ['a stream window of 100 bytes', { initialWindowSize: 100 }],
    ['a stream window of 0', { initialWindowSize: 0 }],
    ['the default windows', {}],
    ['no header table', { headerTableSize: 0 }],
  ];
  test.each(cases)(
    'request bodies larger than the windows arrive complete with %s',
    async (_name, peerSettings) => {
      const { ask } = await clientOf(
        async (stream, _headers, session) => {
          // node:http2 widens windows as it reads, but not a window of 0.
          if (peerSettings.initialWindowSize === 0 && stream.id === 1)
            session.settings({ initialWindowSize: 50_000 });
          respond(stream, 400, await bodyOf(stream));
        },
        { settings: peerSettings },
      );
      const sizes = Array.from({ length: 60 }, (_, n) => (n * 977) % 12_000);
      const answers = await Promise.all(sizes.map(async (size) => ask('/', 'x'.repeat(size))));
      expect(answers.map((answer) => answer.kind === 'answered' && answer.body.length)).toEqual(sizes);
    },
  );

  test('2,000 request bodies arrive unmixed, though they share write buffers', async () => {
    const { ask } = await clientOf(async (stream) => respond(stream, 400, await bodyOf(stream)));
    const bodies = Array.from({ length: 2_000 }, (_, n) => `${n} `.repeat(n % 300));
    const answers = await Promise.all(bodies.map(async (body) => ask('/', body)));
    expect(answers.map((answer) => answer.kind === 'answered' && answer.body)).toEqual(bodies);
  });

  test('a request body larger than a frame is split', async () => {
    const { ask } = await clientOf(async (stream) => {
      respond(stream, 400, String((await bodyOf(stream)).length));
    });
    expect(await ask('/', 'x'.repeat(100_000))).toMatchObject({ body: '100000' });
  });

  test('the rest of a request body is dropped when the peer answers without it', async () => {
    const { ask } = await clientOf((stream) => respond(stream, 413), { settings: { initialWindowSize: 10 } });
    expect(await ask('/', 'x'.repeat(100_000))).toMatchObject({ kind: 'answered', status: 413 });
    expect(await ask('/', 'short')).toMatchObject({ kind: 'answered', status: 413 });
  });
});

describe('answers in an unusual form', () => {
  test('an answer with padding, interim headers, trailers and long headers is complete', async () => {
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

  test('a header block in frames of single bytes is one block', async () => {
    const block = Buffer.from('8c58036162630f0d0133', 'hex'); // :status 400, cache-control abc, content-length 3
    const pieces = [...block].map((byte, n) =>
      frame(n === 0 ? 1 : 9, n === block.length - 1 ? 4 : 0, 1, Buffer.from([byte])),
    );
    const client = await clientOfBytes(settings(), ...pieces, frame(0, 1, 1, 'abc'));
    const answer = await client.ask('/');
    expect(answer).toMatchObject({ kind: 'answered', status: 400, body: 'abc' });
  });

  test('a PING is answered with its data', async () => {
    const client = await clientOfBytes(settings(), frame(6, 0, 0, '12345678'));
    await vi.waitFor(
      () => expect(client.received().includes(frame(6, 1, 0, '12345678'))).toBe(true),
      PATIENCE,
    );
  });

  test('an answer with status 200 has its headers and an empty body', async () => {
    const { ask } = await clientOf((stream) => respond(stream, 200, 'x'.repeat(10_000), { 'x-a': 'b' }));
    const answers = await Promise.all(Array.from({ length: 400 }, async () => ask('/')));
    for (const answer of answers) {
      expect(answer).toMatchObject({ kind: 'answered', status: 200, headers: { 'x-a': 'b' }, body: '' });
    }
  });

  test('four megabytes of answers do not exhaust the receive window', async () => {
    const { ask } = await clientOf((stream) => respond(stream, 400, 'x'.repeat(10_000)));
    const answers = await Promise.all(Array.from({ length: 400 }, async () => ask('/')));
    expect(answers.every((answer) => answer.kind === 'answered' && answer.body.length === 10_000)).toBe(true);
  });
});

test('a peer that does not negotiate HTTP/2 gets no request', async () => {
  const { closed } = await connectTo(await listenTls(() => undefined, []));
  expect(await closed).toEqual({ reason: 'not_http2' });
});

describe('a connection', () => {
  test('a connection that ends fails its unwritten requests as never sent', async () => {
    const { connection, ask, closed } = await clientOf(() => undefined);
    await vi.waitFor(() => expect(connection.isWritable).toBe(true), PATIENCE);
    const answer = ask('/');
    connection.destroy(OVER);
    expect(await answer).toEqual({ kind: 'never_sent', ...OVER });
    expect(await closed).toEqual(OVER);
  });

  test('a connection refuses a request whose headers exceed a frame, and goes on', async () => {
    const { connection, ask } = await clientOf((stream) => respond(stream));
    expect(await ask('/')).toMatchObject({ kind: 'answered' });
    const request = { path: `/${'x'.repeat(20_000)}`, headers: HEADERS, ownHeaders: [], body: '' };
    expect(connection.send(request)).toBe(false);
    expect(await ask('/')).toMatchObject({ kind: 'answered' });
  });

  test('a connection that ends waits for open requests, then closes the socket', async () => {
    const held: ServerHttp2Stream[] = [];
    const { connection, ask, closed } = await clientOf((stream) => {
      held.push(stream);
    });
    const answers = [ask('/1'), ask('/2')];
    await vi.waitFor(() => expect(held).toHaveLength(2), PATIENCE);
    connection.end(OVER);
    expect(connection.isWritable).toBe(false);
    for (const stream of held) respond(stream);
    expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['answered', 'answered']);
    expect(await closed).toEqual(OVER);
  });
});

test('the same bytes give the same events, however they are split', () => {
  const bytes = Buffer.concat([
    settings(),
    frame(1, 4, 1, Buffer.from('88', 'hex')),
    frame(0, 8, 1, Buffer.from([2, 65, 66, 0, 0])),
    frame(2, 0, 1, '12345'), // PRIORITY, which is ignored
    frame(0x2a, 0, 0, 'unknown'),
    frame(6, 0, 0, '12345678'),
    frame(3, 0, 3, Buffer.from([0, 0, 0, 7])),
    frame(8, 0, 0, Buffer.from([0, 0, 1, 0])),
    frame(7, 0, 0, Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), Buffer.from('enhance your calm')])),
  ]);
  const eventsOf = (cuts: number[]): string[] => {
    const events: string[] = [];
    const record =
      (name: string) =>
      (...values: unknown[]): void => {
        events.push(
          `${name} ${values.map((value) => (Buffer.isBuffer(value) ? value.toString() : JSON.stringify(value))).join()}`,
        );
      };
    const incoming = new Incoming({
      onHeaders: record('headers'),
      onBody: record('body'),
      onReset: record('reset'),
      onSettings: record('settings'),
      onPing: record('ping'),
      onPong: record('pong'),
      onGoaway: record('goaway'),
      onWindowUpdate: record('window'),
      onIgnored: record('ignored'),
    });
    const chunk = Buffer.alloc(bytes.length); // overwritten by each read, as the socket does
    let from = 0;
    for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
      incoming.read(chunk, bytes.copy(chunk, 0, from, cut));
      chunk.fill(0xff);
      from = cut;
    }
    return events;
  };
  const whole = eventsOf([]);
  expect(whole).toEqual([
    'settings []',
    'headers 1,{"fields":[":status","200"],"isMalformed":false},false,1',
    'body 1,AB,5,false',
    'ignored ',
    'ignored ',
    'ping 12345678',
    'reset 3,7',
    'window 0,256',
    'goaway 1,0,enhance your calm',
  ]);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 30 }), (cuts) => {
      expect(eventsOf(cuts)).toEqual(whole);
    }),
  );
});
