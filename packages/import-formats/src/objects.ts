/**
 * Splits a stream of bytes into its JSON objects, in constant memory. The stream has one object per line, an array of
 * objects, pages with such an array, or several of these in a row, on one line or on many. It finds where objects begin
 * and end; `readJson` parses them.
 */
import { utf8Text } from './plain-text.ts';
import { NOT_UTF8, type ParseJson, RECORD_BYTES_MAX, type SourceRecord } from './service.ts';
import { isObject } from './values.ts';

const NEWLINE = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** A page is recognised by the text before its list, which is never longer than this. */
const PAGE_START_BYTES_MAX = 1024;
/** The depth after the list of a page: until the page ends, no object is a record. */
const NOWHERE = Number.MAX_SAFE_INTEGER;

interface ObjectText {
  /** The number of the line on which it begins, from 1. */
  line: number;
  /** Undefined if it is longer than the limit, or if the text is not an object. */
  bytes: Buffer | undefined;
}

interface Options {
  /** Matches a page up to its list: `{"results":`. */
  pageStart: RegExp;
  bytesMax: number;
}

/**
 * Yields the objects of a chunk at a time. If a line is broken, reading starts again at the next line that begins with
 * an object. An object on several lines is indented in all but its first and last line, so this does not split it.
 */
export async function* readObjects(
  chunks: AsyncIterable<Uint8Array>,
  { pageStart, bytesMax }: Options,
): AsyncGenerator<ObjectText[], void> {
  let line = 1;
  let depth = 0;
  /** The depth around the objects: 0, 1 in an array, 2 in the list of a page. */
  let base = 0;
  let isString = false;
  let isEscaped = false;
  let isLineStart = true;
  let isFirstChunk = true;
  let openedOn: number | undefined; // the line of the object that is being read
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let strayOn = 0; // the last line with text that belongs to no object
  let found: ObjectText[] = [];

  const extend = (piece: Uint8Array): void => {
    bytes += piece.length;
    if (bytes > bytesMax) pieces = [];
    else pieces.push(piece);
  };
  const clear = (): void => {
    openedOn = undefined;
    pieces = [];
    bytes = 0;
  };
  const end = (isWhole: boolean): void => {
    const isKept = isWhole && bytes <= bytesMax;
    found.push({ line: openedOn ?? line, bytes: isKept ? Buffer.concat(pieces, bytes) : undefined });
    clear();
  };
  const addStray = (): void => {
    if (base === NOWHERE || strayOn === line) return;
    strayOn = line;
    found.push({ line, bytes: undefined });
  };
  const isPage = (lastPiece: Uint8Array): boolean => {
    const length = bytes + lastPiece.length;
    return length <= PAGE_START_BYTES_MAX && pageStart.test(Buffer.concat([...pieces, lastPiece]).toString());
  };

  for await (const sent of chunks) {
    const chunk = isFirstChunk && BYTE_ORDER_MARK.equals(sent.subarray(0, 3)) ? sent.subarray(3) : sent;
    isFirstChunk = false;
    let from = 0; // of the object that is being read
    for (const [at, byte] of chunk.entries()) {
      const begins = isLineStart;
      isLineStart = byte === NEWLINE;
      if (byte === NEWLINE) {
        if (isString) {
          // A text never contains a newline.
          if (openedOn === undefined) addStray();
          else end(false);
          isString = false;
          isEscaped = false;
          if (base !== NOWHERE) depth = base;
        }
        line += 1;
      } else if (isString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isString = false;
      } else if (byte === QUOTE) {
        isString = true;
        if (openedOn === undefined) addStray();
      } else if (byte === OPEN) {
        if (openedOn !== undefined && base === 0 && begins) {
          end(false);
          depth = 0;
        }
        if (openedOn === undefined && depth === base) {
          openedOn = line;
          from = at;
        }
        depth += 1;
      } else if (byte === OPEN_LIST) {
        if (openedOn === undefined && depth === 0) {
          base = 1;
        } else if (base === 0 && depth === 1 && isPage(chunk.subarray(from, at))) {
          clear();
          base = 2;
        }
        depth += 1;
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        if (openedOn === undefined && byte === CLOSE && depth === base) {
          addStray();
          continue;
        }
        depth = Math.max(depth - 1, 0);
        if (openedOn === undefined) {
          if (depth === 0) base = 0;
          else if (depth < base) base = NOWHERE;
        } else if (depth === base) {
          extend(chunk.subarray(from, at + 1));
          end(true);
        }
      } else if (byte > SPACE && byte !== COMMA && openedOn === undefined) {
        addStray();
      }
    }
    if (openedOn !== undefined) extend(chunk.subarray(from));
    yield found;
    found = [];
  }
  if (openedOn !== undefined) end(false);
  yield found;
}

/** @param pageStart matches a page of records up to its list */
export async function* readJson(
  chunks: AsyncIterable<Uint8Array>,
  parse: ParseJson,
  pageStart: RegExp,
): AsyncGenerator<SourceRecord[], void> {
  for await (const found of readObjects(chunks, { pageStart, bytesMax: RECORD_BYTES_MAX })) {
    yield found.map((object) => recordOf(object, parse));
  }
}

function recordOf({ line, bytes }: ObjectText, parse: ParseJson): SourceRecord {
  if (bytes === undefined) return { line, fields: undefined };
  const text = utf8Text(bytes);
  if (text === undefined) return { line, fields: undefined, fault: NOT_UTF8 };
  const value = parse(text);
  return { line, fields: isObject(value) ? value : undefined };
}
