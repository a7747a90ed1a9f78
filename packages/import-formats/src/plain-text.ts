/**
 * Converts the bytes of a given file to plain UTF-8: uncompresses gzip, decodes UTF-16, and drops the byte order mark.
 */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The first two bytes of a file that gzip compressed (RFC 1952, 2.3.1). */
const GZIP = Buffer.from([0x1f, 0x8b]);
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** This many bytes show the encoding. */
const PEEKED_BYTES = 4;

/** Spreadsheets write the usual encoding of their country. */
export const CONVERT_TO_UTF8 = 'convert the file, for instance by "iconv -f WINDOWS-1252 -t UTF-8"';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @returns undefined if the bytes are in another encoding; `CONVERT_TO_UTF8` says what to do */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * @throws {TypeError} if a file in UTF-16 has half of a surrogate pair; errors of the file are thrown when it is read
 */
export async function* plainText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const file = await peek(chunks);
  if (!file.start.subarray(0, 2).equals(GZIP)) {
    yield* decoded(file);
    return;
  }
  const unzipped = pipeline(Readable.from(file.all), createGunzip(), () => undefined);
  yield* decoded(await peek(unzipped));
}

interface Peeked {
  start: Buffer;
  all: AsyncIterable<Uint8Array>;
}

async function* decoded({ start, all }: Peeked): AsyncGenerator<Uint8Array, void> {
  const encoding = utf16Of(start);
  if (encoding === undefined) {
    let isFirst = true;
    for await (const chunk of all) {
      yield isFirst && start.subarray(0, 3).equals(UTF8_MARK) ? chunk.subarray(UTF8_MARK.length) : chunk;
      isFirst = false;
    }
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/**
 * Detects UTF-16 from its byte order mark or, without one, from the zeros between its letters: JSON and headers of CSV
 * begin in ASCII (RFC 4627, 3).
 */
function utf16Of([first, second, third, fourth]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? 'utf-16be' : undefined;
}

/** The first chunk of `all` has at least the bytes of `start`. */
async function peek(chunks: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  let next = await iterator.next();
  while (next.done !== true) {
    start = Buffer.concat([start, next.value]);
    if (start.length >= PEEKED_BYTES) break;
    next = await iterator.next();
  }
  return { start: start.subarray(0, PEEKED_BYTES), all: resumed(start, iterator) };
}

async function* resumed(
  start: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield start;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
