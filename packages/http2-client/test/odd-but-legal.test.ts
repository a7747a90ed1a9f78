/** Unusual answers that RFC 9113 allows: a thousand of each kind on one connection. */
import { expect, test } from 'vitest';
import { answerHead, frame, headerBlock, reset, settings, uint32 } from './raw-peer.ts';
import { askMany, usePools } from './pools.ts';

const BODY = Buffer.from('{"reason":"BadTopic"}');
const HEADERS = headerBlock(':status', '400', 'content-type', 'application/json');
const TABLE_SIZES = [0, 1, 33, 64, 100, 4_096, 65_536];
const WINDOWS = [1_000, 0, 7, 1, 100_000];

const { rawPeerOf: peerOf, poolTo } = usePools({ repeatsIfAmbiguous: 1, checkIntervalMs: 5 });

/** A bit before the id of a stream or the size of a window; it means nothing. */
const RESERVED = 2 ** 31;

function reserved(number: number): number {
  return RESERVED + number;
}

function answer(streamId: number, ...more: string[]): Buffer {
  return answerHead(streamId, 400, false, ...more);
}

function end(streamId: number): Buffer {
  return frame(0, 1, streamId, BODY);
}

/** One byte of headers per frame, with an empty frame after each. */
function headersInBytes(streamId: number): Buffer {
  const bytes = [...HEADERS].flatMap((byte) => [
    frame(9, 0, streamId, Buffer.from([byte])),
    frame(9, 0, streamId),
  ]);
  return Buffer.concat([frame(1, 0, streamId), ...bytes, frame(9, 4, streamId)]);
}

function bodyInBytes(streamId: number): Buffer[] {
  return [...BODY].map((byte) => frame(0, 0, streamId, Buffer.from([byte])));
}

function padded(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  return frame(type, flags | 8, streamId, Buffer.concat([Buffer.from([255]), payload, Buffer.alloc(255)]));
}

function prioritized(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, 0, 9]), payload]);
}

test.each<[name: string, say: (streamId: number) => Buffer[]]>([
  ['a PING with every answer', (id) => [frame(6, 0, 0, '12345678'), answer(id), end(id)]],
  [
    'interim answers',
    (id) => [...[100, 102, 103].map((status) => answerHead(id, status, false)), answer(id), end(id)],
  ],
  ['trailers', (id) => [answer(id), frame(0, 0, id, BODY), frame(1, 5, id, headerBlock('x-after', 'all'))]],
  ['headers in single bytes, with empty frames between', (id) => [headersInBytes(id), end(id)]],
  [
    'padding and priorities',
    (id) => [padded(1, 0x24, id, prioritized(HEADERS)), frame(2, 0, id, '12345'), padded(0, 1, id, BODY)],
  ],
  ['empty DATA', (id) => [answer(id), frame(0, 0, id), frame(0, 0, id), end(id)]],
  ['a body in single bytes', (id) => [answer(id), ...bodyInBytes(id), frame(0, 1, id)]],
  [
    'ALTSVC, ORIGIN, PRIORITY_UPDATE, unknown types and flags',
    (id) => [
      frame(0x0a, 0, 0, Buffer.from('0000', 'hex')),
      frame(0x0c, 0, 0),
      frame(0x10, 0, 0, uint32(id)),
      frame(0xfe, 0xff, id, 'x'),
      answer(id),
      end(id),
    ],
  ],
  [
    'reserved bits that are set (RFC 9113, 4.1, 6.8 and 6.9)',
    (id) => [
      answer(reserved(id)),
      frame(8, 0, RESERVED, uint32(reserved(9))),
      frame(8, 0, reserved(id), uint32(reserved(9))),
      end(reserved(id)),
    ],
  ],
  ['unknown SETTINGS', (id) => [settings([0x99, id], [8, 1]), answer(id), end(id)]],
  [
    'header tables of all sizes, three in one go',
    (id) => [
      settings(...[0, 1, 2].map((n) => [1, TABLE_SIZES[(id + n) % TABLE_SIZES.length] ?? 0] as const)),
      answer(id),
      end(id),
    ],
  ],
  [
    'windows of all sizes',
    (id) => [settings([4, WINDOWS[id % WINDOWS.length] ?? 0]), settings([4, 65_535]), answer(id), end(id)],
  ],
  [
    'windows for each stream',
    (id) => [
      frame(8, 0, 0, uint32(9)),
      frame(8, 0, id, uint32(9)),
      answer(id),
      end(id),
      frame(8, 0, id, uint32(9)),
    ],
  ],
  [
    'streams from none to many',
    (id) => [settings([3, 0]), answer(id), end(id), settings([3, (id % 250) + 1])],
  ],
  ['frames of the largest size', (id) => [settings([5, 2 ** 24 - 1]), answer(id), end(id)]],
  ['RST_STREAM with NO_ERROR after the whole answer', (id) => [answer(id), end(id), reset(id, 0)]],
  ['a content-length', (id) => [answer(id, 'content-length', '21'), end(id)]],
  [
    'headers of 9 KB',
    (id) => [answer(id, ...Array.from({ length: 80 }, () => ['x', 'y'.repeat(110)]).flat()), end(id)],
  ],
])(
  'a thousand requests get their answers on one connection from a peer that sends %s',
  async (_name, say) => {
    const peer = await peerOf({
      onRequest: ({ streamId }, connection) => connection.say(...say(streamId)),
    });
    const answers = await askMany(poolTo(peer, { sessionsMax: 1 }), 1_000);
    expect(
      answers.every((received) => received.kind === 'answered' && received.body === BODY.toString()),
    ).toBe(true);
    expect(peer.connections).toHaveLength(1);
  },
);
