import { type IncomingHttpHeaders, sensitiveHeaders } from 'node:http2';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HpackDecoder } from '../src/hpack/hpack-decoder.ts';
import { blockBytesMax, HpackEncoder } from '../src/hpack/hpack-encoder.ts';
import { decodeHuffman } from '../src/hpack/huffman.ts';
import { openHttp2Pool, type Http2Pool } from '../src/pool.ts';
import { entryBytes, staticTable } from '../src/hpack/static-table.ts';
import { makeCertificate, openPeer, respond, type Peer } from './peer.ts';

const TARGET = [':method', 'POST', ':scheme', 'https', ':authority', 'localhost'];

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

function decoded(decoder: HpackDecoder, block: Buffer): Record<string, string | undefined> {
  return lastOf(decoder.decode(block, 0, block.length).fields);
}

describe('the examples of RFC 7541, appendix C', () => {
  const requests = [
    { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'www.example.com' },
    {
      ':method': 'GET',
      ':scheme': 'http',
      ':path': '/',
      ':authority': 'www.example.com',
      'cache-control': 'no-cache',
    },
    {
      ':method': 'GET',
      ':scheme': 'https',
      ':path': '/index.html',
      ':authority': 'www.example.com',
      'custom-key': 'custom-value',
    },
  ];

  test.each([
    [
      'C.3, without Huffman coding',
      [
        '828684410f7777772e6578616d706c652e636f6d',
        '828684be58086e6f2d6361636865',
        '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
      ],
    ],
    [
      'C.4, with Huffman coding',
      [
        '828684418cf1e3c2e5f23a6ba0ab90f4ff',
        '828684be5886a8eb10649cbf',
        '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
      ],
    ],
  ])('the decoder reads the requests of RFC 7541, appendix %s', (_name, blocks) => {
    const decoder = new HpackDecoder();
    expect(blocks.map((block) => decoded(decoder, hex(block)))).toEqual(requests);
  });
});

describe('an invalid block', () => {
  test.each([
    ['the index 0', '80'],
    ['an index beyond both tables', 'be'],
    ['an integer without end', 'ffffffffffffff7f'],
    ['an integer cut off', 'ff'],
    ['a literal cut off', '40'],
    ['a string longer than the block', '4001610a62'],
    ['a table larger than allowed', '3fe21f'],
    ['the end-of-string symbol inside a string', '00016184ffffffff'],
    ['a padding of eight ones', '00016182f8ff'],
    ['a padding of zeros', '0001618118'],
  ])('the decoder refuses an invalid block as a compression error: %s', (_name, block) => {
    expect(() => decoded(new HpackDecoder(), hex(block))).toThrow(expect.objectContaining({ code: 9 }));
  });

  test('arbitrary bytes are decoded or refused as a compression error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decoded(new HpackDecoder(), Buffer.from(bytes));
        } catch (error) {
          expect(error).toMatchObject({ code: 9 });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test('a Huffman string ends with a padding of at most seven ones', () => {
  expect(decodeHuffman(hex('1f'), 0, 1)).toBe('a');
  expect(decodeHuffman(hex('07'), 0, 1)).toBe('0');
  expect(decodeHuffman(Buffer.alloc(0), 0, 0)).toBe('');
  expect(decodeHuffman(hex('ff'), 0, 1)).toBeUndefined();
});

test('the decoder reads what the encoder writes, with any table size and any change of it', () => {
  const text = fc.string({
    minLength: 1,
    maxLength: 60,
    unit: fc.constantFrom(...Array.from('abcdeXYZ0189 -_/\u00fc')),
  });
  const name = fc.constantFrom('accept', 'x-one', 'x-two', 'x-three', 'authorization', 'content-type');
  const headers = fc.array(fc.tuple(name, text), { maxLength: 6 }).map((pairs) => pairs.flat());
  const step = fc.record({
    shared: fc.nat({ max: 4 }),
    own: headers,
    tableBytes: fc.option(fc.nat({ max: 6_000 }), { freq: 8 }),
  });
  fc.assert(
    fc.property(
      fc.array(headers, { minLength: 5, maxLength: 5 }),
      fc.array(step, { minLength: 1, maxLength: 60 }),
      (lists, steps) => {
        const encoder = new HpackEncoder();
        const decoder = new HpackDecoder();
        for (const { shared, own, tableBytes } of steps) {
          if (tableBytes !== null) encoder.setTableBytes(tableBytes);
          const list = lists[shared] ?? [];
          const block = Buffer.alloc(blockBytesMax(list, own));
          const end = encoder.own(block, encoder.shared(block, encoder.begin(block, 0), list), own);
          expect(end).toBeLessThanOrEqual(block.length);
          expect(lastOf(decoder.decode(block, 0, end).fields)).toEqual(lastOf([...list, ...own]));
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('shared headers cost a byte each from the second request on', () => {
  const encoder = new HpackEncoder();
  const shared = [...TARGET, 'authorization', `bearer ${'x'.repeat(200)}`, 'apns-topic', 'com.example'];
  const block = Buffer.alloc(blockBytesMax(shared));
  const sizes = [1, 2, 3].map(() => encoder.shared(block, 0, shared));
  expect(sizes[0]).toBeGreaterThan(200);
  expect(sizes.slice(1)).toEqual([5, 5]);
});

test('the static table has 61 entries, and sizes follow the standard', () => {
  expect(staticTable).toHaveLength(61);
  expect([staticTable[0], staticTable[60]]).toEqual([
    [':authority', ''],
    ['www-authenticate', ''],
  ]);
  expect(entryBytes('custom-key', 'custom-header')).toBe(55); // RFC 7541, appendix C.2.1
});

describe('with node:http2 as the peer', () => {
  let peer: Peer;
  let pool: Http2Pool;
  let seen: IncomingHttpHeaders = {};
  let toSend: Record<string, string> = {};

  beforeAll(async () => {
    const certificate = await makeCertificate();
    peer = await openPeer(certificate, (stream, headers) => {
      seen = headers;
      respond(stream, 200, '', toSend);
    });
    pool = openHttp2Pool({ origin: peer.origin, ca: certificate.cert });
  });

  afterAll(async () => {
    await pool.close();
    await peer.close();
  });

  // All octets that a header value may hold; node:http2 writes them in Huffman code.
  const octet = fc.oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }));
  const value = fc
    .array(octet, { minLength: 1, maxLength: 80 })
    .map((octets) => Buffer.from(octets).toString('latin1'));
  const name = fc.constantFrom('x-a', 'x-b', 'retry-after', 'server', 'x-long-name-that-is-not-in-any-table');

  test('the codec and node:http2 read thousands of headers of each other on one connection', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value), fc.dictionary(name, value), async (ours, theirs) => {
        toSend = theirs;
        const [shared, own] = [Object.entries(ours).slice(0, 2).flat(), Object.entries(ours).slice(2).flat()];
        const answer = await pool.request({
          path: '/',
          headers: [...TARGET, ...shared],
          ownHeaders: own,
          body: '',
        });
        expect(answer).toMatchObject({ kind: 'answered', headers: theirs });
        expect(seen).toMatchObject(ours);
      }),
      { numRuns: 400 },
    );
  });

  test('the decoder reads every octet that node:http2 encodes', async () => {
    const all = Array.from({ length: 256 }, (_, code) => code).filter((code) => code > 0x20 && code !== 0x7f);
    const text = Buffer.from(all).toString('latin1');
    toSend = { 'x-all': text };
    const answer = await pool.request({ path: '/', headers: TARGET, ownHeaders: ['x-all', text], body: '' });
    expect(answer).toMatchObject({ headers: { 'x-all': text } });
    expect(seen['x-all']).toBe(text);
  });

  test('a path is marked as never indexed', async () => {
    toSend = {};
    const answer = await pool.request({ path: '/secret', headers: TARGET, ownHeaders: [], body: '' });
    expect(answer).toMatchObject({ kind: 'answered' });
    expect(Reflect.get(seen, sensitiveHeaders)).toEqual([':path']);
  });
});

function lastOf(headers: readonly string[]): Record<string, string> {
  const result: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2)
    result[headers[index] ?? ''] = headers[index + 1] ?? '';
  return result;
}
