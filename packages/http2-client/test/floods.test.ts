/**
 * Floods of a hostile peer. Each ends after little work and in bounded memory, and the requests that were in flight are answered on the
 * next connection. Unusual but harmless frames are in odd-but-legal.test.ts.
 */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../src/answer.ts';
import type { TransportFailure } from '../src/transport-reason.ts';
import { answerHead, frame, headerBlock, type RawConnection, reset, settings, uint32 } from './raw-peer.ts';
import { askMany, usePools } from './pools.ts';
import { kinds } from './waiting.ts';

const MIB = 2 ** 20;
/** The limit for a flood, of the client and the peer together: both are in this process. */
const MEMORY_BYTES_MAX = 128 * MIB;
/** Processor time of the client and the peer together, on a processor that is not shared. */
const PROCESSOR_MS_MAX = 4_000;
/** What the yardstick takes there. */
const YARDSTICK_MS = 70;
/** Only the flood may end a connection: on a slow machine it takes longer than a peer usually has. */
const PATIENT = {
  connectTimeoutMs: 60_000,
  firstAnswerTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  overtakenTimeoutMs: 60_000,
  pingAfterBusyMs: 60_000,
  pingTimeoutMs: 60_000,
};
/** Bytes that the peer writes at once. */
const CHUNK_BYTES = 65_536;

const { events, rawPeerOf: peerOf, poolTo } = usePools({ repeatsIfAmbiguous: 1, checkIntervalMs: 5 });

/** Writes the same frames again and again, as fast as the socket takes them. */
function flood({ socket }: RawConnection, frames: Buffer): void {
  const times = Math.max(Math.floor(CHUNK_BYTES / frames.length), 1);
  const chunk = Buffer.concat(Array.from({ length: times }, () => frames));
  const write = (): void => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

/** @returns the peak of the memory used, in bytes */
async function peakMemory(run: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  await run();
  clearInterval(watch);
  return Math.max(most, process.memoryUsage().rss) - before;
}

function failures(): TransportFailure[] {
  return events.flatMap((event) => (event.kind === 'session_closed' ? [event.failure] : []));
}

const status200 = Buffer.from('88', 'hex');
const begun = frame(1, 0, 1, status200);
const interim = frame(1, 4, 1, headerBlock(':status', '103', 'link', '</x>'));
const TOO_MANY = broken('too many useless frames');
const TOO_LARGE = broken('a header block larger than allowed');
const LIST_TOO_LARGE = broken('a header list larger than allowed');

function broken(detail: string): TransportFailure {
  return { reason: 'protocol_error', detail };
}

interface Setting {
  /** Written once, before the flood. */
  first?: Buffer;
  /** The peer stops reading. */
  isDeaf?: boolean;
  failure?: TransportFailure;
}

/** How many times as long as there something takes now: the neighbours of a processor take a part of it. At least 1. */
function slowness(): number {
  const before = process.cpuUsage();
  createHash('sha256')
    .update(Buffer.alloc(64 * MIB))
    .digest();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, (user + system) / 1_000 / YARDSTICK_MS);
}

describe('floods', () => {
  // The first field puts 4,000 bytes into the table; each of 12,000 bytes then stands for all of them.
  const entry = Buffer.concat([
    Buffer.from('400178', 'hex'),
    Buffer.from('7fa11e', 'hex'),
    Buffer.alloc(4_000, 'y'),
  ]);
  const ended = { first: answerHead(1, 200) };
  const unended = { first: answerHead(1, 400, false) };
  const fields = Array.from({ length: 240 }, () => ['x', 'y'.repeat(60)]).flat();
  const windows = Array.from({ length: 32 }, (_, n) => [4, 65_535 + n] as const);
  const goawayFailure = { reason: 'goaway', detail: 'NO_ERROR' } as const;
  const noBytes = frame(9, 0, 1);
  test.each<[name: string, frames: Buffer, setting?: Setting]>([
    ['CONTINUATION of no bytes', noBytes, { first: begun, failure: TOO_LARGE }],
    ['CONTINUATION of one byte', frame(9, 0, 1, status200), { first: begun, failure: TOO_LARGE }],
    [
      'header blocks of a hundred CONTINUATIONs, for a stream that has ended',
      Buffer.concat([begun, ...Array.from({ length: 99 }, () => noBytes), frame(9, 4, 1)]),
      ended,
    ],
    ['PING', frame(6, 0, 0, '12345678')],
    ['PING by a peer that does not read', frame(6, 0, 0, '12345678'), { isDeaf: true }],
    ['answers to PINGs that were not sent', frame(6, 1, 0, 'carillon')],
    ['SETTINGS', settings()],
    ['SETTINGS by a peer that does not read', settings(), { isDeaf: true }],
    ['SETTINGS that move the windows of all streams', settings(...windows)],
    ['acknowledgements of SETTINGS', frame(4, 1, 0)],
    ['DATA of no bytes', frame(0, 0, 1), unended],
    ['DATA of padding alone', frame(0, 8, 1, Buffer.from([3, 0, 0, 0])), unended],
    ['DATA for a stream that has ended', frame(0, 0, 1, 'x'), ended],
    ['trailers that do not end the stream', frame(1, 4, 1, status200), unended],
    ['interim answers', interim],
    ['interim answers of 16 KB', frame(1, 4, 1, headerBlock(':status', '103', ...fields))],
    ['RST_STREAM of a stream that has ended', reset(1, 8), ended],
    ['PRIORITY', frame(2, 0, 1, 'abcde')],
    ['frames of an unknown type', frame(0x2a, 0, 0, 'unknown')],
    ['large frames of an unknown type', frame(0x2a, 0, 0, Buffer.alloc(16_384))],
    ['windows of the connection', frame(8, 0, 0, uint32(1))],
    ['windows of a stream', frame(8, 0, 1, uint32(1))],
    ['windows of a stream that has ended', frame(8, 0, 1, uint32(1)), ended],
    ['GOAWAY', frame(7, 0, 0, uint32(2 ** 31 - 1, 0)), { failure: goawayFailure }],
    [
      'an HPACK bomb',
      frame(1, 4, 1, Buffer.concat([status200, entry, Buffer.alloc(12_000, 0xbe)])),
      { failure: LIST_TOO_LARGE },
    ],
  ])(
    'a flood ends its connection after little work, and another connection takes its requests: %s',
    async (_name, frames, { first, isDeaf = false, failure = TOO_MANY } = {}) => {
      const requests = 20;
      const peer = await peerOf({
        onRequest: ({ streamId }, connection) => {
          if (connection !== peer.connections[0]) {
            connection.say(answerHead(streamId, 200));
          } else if (streamId === 2 * requests - 1) {
            if (isDeaf) connection.socket.pause();
            if (first !== undefined) connection.say(first);
            flood(connection, frames);
          }
        },
      });
      const pool = poolTo(peer, { reconnectAfterMs: 1, ...PATIENT });
      const usedBefore = process.cpuUsage();
      let answers: Answer[] = [];
      const memory = await peakMemory(async () => {
        answers = await askMany(pool, requests);
      });
      expect(failures()).toEqual([failure]);
      expect(kinds(answers)).toEqual({ answered: requests });
      const { user, system } = process.cpuUsage(usedBefore);
      expect((user + system) / 1_000).toBeLessThan(PROCESSOR_MS_MAX * slowness());
      expect(memory).toBeLessThan(MEMORY_BYTES_MAX);
      const [connection] = peer.connections;
      const codes = connection?.heard
        .filter(({ type }) => type === 7)
        .map(({ payload }) => payload.readUInt32BE(4));
      // Unread bytes make TCP reset the connection when we close it, and the GOAWAY may be lost with it.
      if (codes?.length !== 0 && failure.reason === 'protocol_error') expect(codes).toEqual([11]); // ENHANCE_YOUR_CALM
    },
  );
});

describe('a peer that spends one of our requests each time', () => {
  test('the pool keeps a body that arrives in single bytes in few chunks, and cuts it', async () => {
    const pieces = Buffer.concat(Array.from({ length: 16_384 }, () => frame(0, 0, 1, 'x')));
    const peer = await peerOf({
      onRequest: ({ streamId }, { say }) => {
        const own = Buffer.from(pieces);
        for (let at = 0; at < own.length; at += 10) own.writeUInt32BE(streamId, at + 5);
        say(answerHead(streamId, 500, false), own);
      },
    });
    const pool = poolTo(peer, { reconnectAfterMs: 1 });
    let answers: Answer[] = [];
    const memory = await peakMemory(async () => {
      answers = await askMany(pool, 64);
    });
    expect(answers).toEqual(answers.map(() => expect.objectContaining({ kind: 'answered', status: 500 })));
    expect(answers.every((answer) => answer.kind === 'answered' && answer.body === 'x'.repeat(16_384))).toBe(
      true,
    );
    expect(memory).toBeLessThan(MEMORY_BYTES_MAX);
  });

  test('a request is sent twice, and is ambiguous, if the peer resets every stream', async () => {
    let heard = 0;
    const peer = await peerOf({
      onRequest: ({ streamId }, { say }) => {
        heard += 1;
        say(reset(streamId, 2));
      },
    });
    const pool = poolTo(peer, { sessionsMax: 1 });
    expect(kinds(await askMany(pool, 2_000))).toEqual({ ambiguous: 2_000 });
    expect(heard).toBe(4_000);
    expect(peer.connections).toHaveLength(1);
  });
});
