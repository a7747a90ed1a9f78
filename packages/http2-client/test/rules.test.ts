/**
 * The rules of HTTP/2 and HPACK, one per row: the error code that a peer gets for breaking the rule, and the result of the
 * request. In each row, stream 1 carries a complete request, and no other stream is open.
 */
import { describe, expect, test, vi } from 'vitest';
import type { Http2Pool } from '../src/pool.ts';
import {
  answerHead,
  frame,
  goaway,
  headerBlock,
  type RawConnection,
  type RawPeer,
  type RawPeerScript,
  reset,
  settings,
  uint32,
} from './raw-peer.ts';
import { ask, usePools } from './pools.ts';
import { holdTime, waitUntil } from './waiting.ts';

const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;
const FLOW_CONTROL_ERROR = 3;
const FRAME_SIZE_ERROR = 6;
const COMPRESSION_ERROR = 9;
const ENHANCE_YOUR_CALM = 11;

const status200 = Buffer.from('88', 'hex');
const { rawPeerOf: peerOf, poolTo } = usePools({ repeatsIfAmbiguous: 1, checkIntervalMs: 5 });

async function peerAndPool(script: RawPeerScript): Promise<{ peer: RawPeer; pool: Http2Pool }> {
  const peer = await peerOf(script);
  return { peer, pool: poolTo(peer, { repeatsIfAmbiguous: 0, attemptsMax: 1 }) };
}

function isOver(connection: RawConnection | undefined): boolean {
  return connection?.socket.readableEnded === true || connection?.socket.destroyed === true;
}

/** HEADERS on stream 1 that end the stream; `begin` leaves it open. */
function answer(...fields: string[]): Buffer {
  return frame(1, 5, 1, headerBlock(...fields));
}

function begin(...fields: string[]): Buffer {
  return frame(1, 4, 1, headerBlock(...fields));
}

/** The error codes that the peer has received. */
function codesOf(connection: RawConnection | undefined, type: 3 | 7): number[] {
  const offset = type === 3 ? 0 : 4;
  return (connection?.heard ?? [])
    .filter((heard) => heard.type === type)
    .map(({ payload }) => payload.readUInt32BE(offset));
}

describe('a broken rule that ends the connection', () => {
  test.each<[rule: string, code: number, ...frames: Buffer[]]>([
    ['4.2 a frame is no larger than allowed', FRAME_SIZE_ERROR, Buffer.from('ffffff000000000001', 'hex')],
    ['4.3 a header block can be decoded', COMPRESSION_ERROR, frame(1, 5, 1, Buffer.from('80', 'hex'))],
    ['5.1 DATA is not on an idle stream', PROTOCOL_ERROR, frame(0, 1, 99, 'x')],
    ['5.1 HEADERS are not on an idle stream', PROTOCOL_ERROR, frame(1, 5, 99, status200)],
    ['5.1 RST_STREAM is not on an idle stream', PROTOCOL_ERROR, reset(99, 8)],
    ['5.1 WINDOW_UPDATE is not on an idle stream', PROTOCOL_ERROR, frame(8, 0, 99, uint32(1))],
    ['5.1.1 DATA is not on a stream of the server', PROTOCOL_ERROR, frame(0, 1, 2, 'x')],
    ['5.1.1 HEADERS are not on a stream of the server', PROTOCOL_ERROR, frame(1, 5, 2, status200)],
    ['6.1 DATA is on a stream', PROTOCOL_ERROR, frame(0, 1, 0, 'x')],
    ['6.1 padding fits in its frame', PROTOCOL_ERROR, frame(0, 8, 1, Buffer.from([9, 1]))],
    ['6.1 padding has a length', FRAME_SIZE_ERROR, frame(0, 8, 1)],
    ['6.2 HEADERS are on a stream', PROTOCOL_ERROR, frame(1, 5, 0, status200)],
    ['6.2 a priority has five bytes', FRAME_SIZE_ERROR, frame(1, 0x25, 1, 'abcd')],
    [
      '6.2 a header block is not interrupted',
      PROTOCOL_ERROR,
      frame(1, 0, 1, status200),
      frame(6, 0, 0, '12345678'),
    ],
    [
      '5.5 nor by a frame of an unknown type',
      PROTOCOL_ERROR,
      frame(1, 0, 1, status200),
      frame(0x2a, 0, 1, 'unknown'),
    ],
    ['6.3 PRIORITY has five bytes', FRAME_SIZE_ERROR, frame(2, 0, 1, 'abcd')],
    ['6.3 PRIORITY is on a stream', PROTOCOL_ERROR, frame(2, 0, 0, 'abcde')],
    ['6.4 RST_STREAM has four bytes: no less', FRAME_SIZE_ERROR, frame(3, 0, 1, 'ab')],
    ['6.4 RST_STREAM has four bytes: no more', FRAME_SIZE_ERROR, frame(3, 0, 1, 'abcde')],
    ['6.4 RST_STREAM is on a stream', PROTOCOL_ERROR, reset(0, 8)],
    ['6.5 SETTINGS are sixes of bytes', FRAME_SIZE_ERROR, frame(4, 0, 0, 'abc')],
    ['6.5 an acknowledgement of SETTINGS is empty', FRAME_SIZE_ERROR, frame(4, 1, 0, 'abcdef')],
    ['6.5 SETTINGS are of the connection', PROTOCOL_ERROR, frame(4, 0, 1)],
    ['6.5.2 a server does not want to be pushed to', PROTOCOL_ERROR, settings([2, 1])],
    ['6.5.2 frames may be of 16,384 bytes at least', PROTOCOL_ERROR, settings([5, 16_383])],
    ['6.5.2 frames are of less than 2^24 bytes', PROTOCOL_ERROR, settings([5, 2 ** 24])],
    ['6.5.2 a window is of less than 2^31 bytes', FLOW_CONTROL_ERROR, settings([4, 2 ** 31])],
    [
      '6.9.2 no change of the initial window lifts a stream over 2^31 - 1',
      FLOW_CONTROL_ERROR,
      frame(8, 0, 1, uint32(2 ** 31 - 65_536)),
      settings([4, 100_000]),
    ],
    ['6.6 nothing is pushed', PROTOCOL_ERROR, frame(5, 4, 1, Buffer.from('0000000288', 'hex'))],
    ['6.7 PING has eight bytes: no less', FRAME_SIZE_ERROR, frame(6, 0, 0, '1234')],
    ['6.7 PING has eight bytes: no more', FRAME_SIZE_ERROR, frame(6, 0, 0, '123456789')],
    ['6.7 PING is of the connection', PROTOCOL_ERROR, frame(6, 0, 1, '12345678')],
    ['6.8 GOAWAY is of the connection', PROTOCOL_ERROR, frame(7, 0, 1, uint32(0, 0))],
    ['6.8 GOAWAY has eight bytes', FRAME_SIZE_ERROR, frame(7, 0, 0, 'abcd')],
    ['6.9 WINDOW_UPDATE has four bytes: no less', FRAME_SIZE_ERROR, frame(8, 0, 0, 'ab')],
    ['6.9 WINDOW_UPDATE has four bytes: no more', FRAME_SIZE_ERROR, frame(8, 0, 0, 'abcde')],
    ['6.9 the window of the connection is widened by something', PROTOCOL_ERROR, frame(8, 0, 0, uint32(0))],
    [
      '6.9.1 a window is of less than 2^31 bytes: the connection',
      FLOW_CONTROL_ERROR,
      frame(8, 0, 0, uint32(2 ** 31 - 1)),
    ],
    [
      '6.9.1 a window is of less than 2^31 bytes: a stream',
      FLOW_CONTROL_ERROR,
      frame(8, 0, 1, uint32(2 ** 31 - 1)),
    ],
    ['6.10 CONTINUATION goes on with something', PROTOCOL_ERROR, frame(9, 4, 1, status200)],
    [
      '6.10 CONTINUATION is of the same stream',
      PROTOCOL_ERROR,
      frame(1, 0, 1, status200),
      frame(9, 4, 3, status200),
    ],
    [
      '10.5.1 a header block has an end',
      ENHANCE_YOUR_CALM,
      frame(1, 0, 1, status200),
      ...Array.from({ length: 4 }, () => frame(9, 0, 1, 'x'.repeat(16_384))),
    ],
    [
      '10.5 SETTINGS are few',
      ENHANCE_YOUR_CALM,
      settings(...Array.from({ length: 33 }, () => [3, 1] as const)),
    ],
    // 7541
    [
      'HPACK 4.2 a table size update comes before the headers',
      COMPRESSION_ERROR,
      frame(1, 5, 1, Buffer.from('8820', 'hex')),
    ],
    [
      'HPACK 6.3 the table is no larger than we allow',
      COMPRESSION_ERROR,
      frame(1, 5, 1, Buffer.from('3fe23f88', 'hex')),
    ],
    ['HPACK 6.1 an index is not 0', COMPRESSION_ERROR, frame(1, 5, 1, Buffer.from('8880', 'hex'))],
    ['HPACK 2.3.3 an index is in a table', COMPRESSION_ERROR, frame(1, 5, 1, Buffer.from('88be', 'hex'))],
    [
      'HPACK 5.1 an integer is not endless',
      COMPRESSION_ERROR,
      frame(1, 5, 1, Buffer.from('ffffffffffffff', 'hex')),
    ],
  ])('the connection ends when a peer breaks the rule %s', async (_rule, code, ...frames) => {
    const { peer, pool } = await peerAndPool({ onRequest: (_request, { say }) => say(...frames) });
    expect(await ask(pool, '/')).toMatchObject({
      kind: 'ambiguous',
      reason: 'protocol_error',
      detail: expect.any(String),
    });
    const [connection] = peer.connections;
    await waitUntil(() => isOver(connection));
    expect(codesOf(connection, 7)).toEqual([code]);
  });
});

describe('a broken rule that ends only its stream', () => {
  test.each<[rule: string, ...frames: Buffer[]]>([
    ['6.9 its window is widened by something', frame(8, 0, 1, uint32(0))],
    ['8.1 a body comes after its headers', frame(0, 1, 1, 'x')],
    ['8.1 an answer has headers', frame(0, 1, 1)],
    ['8.1 an interim answer is not the last', answer(':status', '103')],
    ['8.1 trailers end the stream', begin(':status', '400'), begin('x', 'y')],
    ['8.1 trailers have no pseudo-headers', begin(':status', '400'), answer(':status', '200')],
    [
      '8.1.1 a body has the length that was announced: less',
      begin(':status', '400', 'content-length', '3'),
      frame(0, 1, 1, 'x'),
    ],
    [
      '8.1.1 a body has the length that was announced: more',
      begin(':status', '200', 'content-length', '0'),
      frame(0, 1, 1, 'x'),
    ],
    ['8.1.1 a body has the length that was announced: none', answer(':status', '400', 'content-length', '3')],
    ['8.1.1 it is one length', answer(':status', '400', 'content-length', '0', 'content-length', '1')],
    ['8.1.1 it is a number', answer(':status', '400', 'content-length', '-0')],
    ['8.2.1 a name has no capitals', answer(':status', '200', 'X-A', 'b')],
    ['8.2.1 a name has no white space', answer(':status', '200', 'x a', 'b')],
    ['8.2.1 a name is not empty', answer(':status', '200', '', 'b')],
    ['8.2.1 a name is of ASCII', answer(':status', '200', 'é', 'b')],
    ['8.2.1 a name has a colon at its start alone', answer(':status', '200', 'x:a', 'b')],
    ['8.2.1 a value has no line feed', answer(':status', '200', 'x', 'a\nb')],
    ['8.2.1 a value has no carriage return', answer(':status', '200', 'x', 'a\rb')],
    ['8.2.1 a value has no NUL', answer(':status', '200', 'x', 'a\0b')],
    ['8.2.1 a value does not begin with white space', answer(':status', '200', 'x', ' a')],
    ['8.2.1 a value does not end with white space', answer(':status', '200', 'x', 'a\t')],
    ['8.2.2 no header of a connection: connection', answer(':status', '200', 'connection', 'close')],
    ['8.2.2 no header of a connection: keep-alive', answer(':status', '200', 'keep-alive', '1')],
    ['8.2.2 no header of a connection: upgrade', answer(':status', '200', 'upgrade', 'x')],
    [
      '8.2.2 no header of a connection, by its index: transfer-encoding',
      frame(1, 5, 1, Buffer.from('880f2a0178', 'hex')),
    ],
    ['8.2.2 nor where a table has kept it', frame(1, 5, 1, Buffer.from('88790178be', 'hex'))],
    ['8.3 an answer has a status', answer('x', 'y')],
    ['8.3 an answer has something', frame(1, 5, 1)],
    ['8.3 it comes first', answer('x', 'y', ':status', '200')],
    ['8.3 it comes once', answer(':status', '200', ':status', '200')],
    ['8.3 pseudo-headers of a request are not of an answer', answer(':status', '200', ':path', '/')],
    ['8.3 pseudo-headers are those that are defined', answer(':status', '200', ':x', 'y')],
    ...['', '20', '2000', '2e2', '0xC8', ' 200', '200 ', '+200', '020', '2OO'].map(
      (status): [string, Buffer] => [
        `8.3.2 a status has three digits: '${status}'`,
        answer(':status', status),
      ],
    ),
    ['8.6 nothing is upgraded', begin(':status', '101')],
  ])('the stream alone ends when a peer breaks the rule %s', async (_rule, ...frames) => {
    const { peer, pool } = await peerAndPool({
      onRequest: ({ streamId }, { say }) => {
        if (streamId === 1) say(...frames);
        else say(answerHead(streamId, 200));
      },
    });
    expect(await ask(pool, '/')).toMatchObject({
      kind: 'ambiguous',
      reason: 'protocol_error',
      detail: expect.any(String),
    });
    expect(await ask(pool, '/')).toMatchObject({ kind: 'answered', status: 200 });
    const [connection, ...others] = peer.connections;
    expect(codesOf(connection, 3)).toEqual([PROTOCOL_ERROR]);
    expect(codesOf(connection, 7)).toEqual([]);
    expect(others).toEqual([]);
  });

  test('a request whose end has not left is never_sent when its answer breaks a rule', async () => {
    const { pool } = await peerAndPool({
      greeting: Buffer.concat([settings([4, 2]), frame(8, 0, 0, uint32(1))]),
      onHeaders: (_request, { say }) => say(frame(1, 5, 1, headerBlock('x', 'y'))),
    });
    expect(await ask(pool, '/')).toEqual({
      kind: 'never_sent',
      reason: 'protocol_error',
      detail: 'an answer without a status',
    });
  });
});

describe('3.4 a peer that does not start with SETTINGS', () => {
  test.each<[string, Buffer]>([
    ['PING', Buffer.concat([frame(6, 0, 0, '12345678'), settings()])],
    ['an acknowledgement', Buffer.concat([frame(4, 1, 0), settings()])],
    ['an answer', frame(1, 5, 1, status200)],
    ['HTTP/1.1', Buffer.from('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')],
    ['something else', Buffer.from('220 mail.example ESMTP\r\n')],
  ])('a peer that does not start with SETTINGS is reported as not_http2: %s', async (_name, greeting) => {
    holdTime();
    const { peer, pool } = await peerAndPool({ greeting });
    const asked = ask(pool, '/');
    await waitUntil(() => isOver(peer.connections[0]));
    expect(codesOf(peer.connections[0], 7)).toEqual([PROTOCOL_ERROR]);
    vi.advanceTimersByTime(16_000); // longer than a request waits for a connection
    expect(await asked).toEqual({ kind: 'never_sent', reason: 'not_http2' });
  });
});

test('an answer after a GOAWAY counts, and the connection ends with NO_ERROR', async () => {
  const { peer, pool } = await peerAndPool({
    onRequest: (_request, { say }) => say(goaway(1, NO_ERROR), answerHead(1, 200)),
  });
  expect(await ask(pool, '/')).toMatchObject({ kind: 'answered' });
  await waitUntil(() => codesOf(peer.connections[0], 7).length === 1);
  expect(codesOf(peer.connections[0], 7)).toEqual([NO_ERROR]);
});
