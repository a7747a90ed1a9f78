/**
 * Reads a list that is sent as a JSON array or as lines (NDJSON). Its items are independent: each is parsed and refused
 * alone. Many items are read in small steps, between which other requests are served.
 */
import type { FastifyRequest } from 'fastify';
import { ApiError, invalidRequest } from '../api/errors.ts';
import type { EventLoopShare } from '../scheduling/event-loop-share.ts';
import { type ArrayElement, inWhole, splitArray } from '../json/array.ts';
import { type Line, readLines } from '../json/lines.ts';
import { UnusableJson } from '../json/lossless.ts';
import { BadJson } from '../json/strict.ts';
import { decode, invalidJson, mediaTypeOf, parseText, requiredBody } from './body.ts';

export const JSON_TYPE = 'application/json';
export const NDJSON_TYPE = 'application/x-ndjson';

/** A list as it was sent. */
export interface SentList {
  /** Otherwise it is a JSON array. */
  isNdjson: boolean;
  bytes: Buffer;
}

/**
 * The value of an item, or why it cannot be read. `line` is its line in NDJSON, where empty lines count, and its position in
 * an array, both from 1.
 */
export type Item = { line: number; value: unknown; error?: never } | { line: number; error: ApiError };

/** @throws {ApiError} `invalid_json` if the body is empty. @throws {Error} if the route does not `acceptBytes` */
export function sentList(request: FastifyRequest): SentList {
  const bytes = requiredBody(request);
  if (!Buffer.isBuffer(bytes)) throw new Error('the route parses its bodies');
  return { isNdjson: mediaTypeOf(request) === NDJSON_TYPE, bytes };
}

/** As large as the body of a call for a single item. */
const ITEM_BYTES_MAX = 1024 * 1024;
/** Splitting this much into lines takes a fraction of a millisecond. */
const CHUNK_BYTES = 64 * 1024;

type AddItem = (item: Item) => void;

/**
 * @param itemsMax the maximum number of items
 * @param share limits the share of the event loop that it uses
 * @returns at least one item; empty lines are left out
 * @throws {ApiError} `invalid_json` if an array is not UTF-8, is not JSON, or has a key twice in one object: an array
 *   is one text, while in NDJSON these are faults of one line. `invalid_request` if there is no item, or more than
 *   `itemsMax`
 */
export async function readList(
  { isNdjson, bytes }: SentList,
  itemsMax: number,
  share: EventLoopShare,
): Promise<Item[]> {
  const items: Item[] = [];
  const what = isNdjson ? 'lines that are not empty' : 'elements';
  const add: AddItem = (item) => {
    if (items.length === itemsMax) throw wrongLength(`must have at most ${itemsMax} ${what}`);
    items.push(item);
  };
  if (isNdjson) await addLines(bytes, share, add);
  else await addElements(bytes, share, add);
  if (items.length === 0) throw wrongLength(`must have 1 to ${itemsMax} ${what}`);
  return items;
}

async function addLines(bytes: Buffer, share: EventLoopShare, add: AddItem): Promise<void> {
  for await (const lines of readLines(chunksOf(bytes), ITEM_BYTES_MAX)) {
    await share.whenFree(); // even without lines: a chunk may contain only empty ones
    for (const line of lines) {
      const free = share.whenFree();
      if (free !== undefined) await free;
      const item = readLine(line);
      if (item !== undefined) add(item);
    }
  }
}

/** @returns undefined for an empty line */
function readLine({ number: line, bytes }: Line): Item | undefined {
  if (bytes === undefined) return { line, error: tooLarge('The line') };
  try {
    const text = decode(bytes, 'The line');
    if (text.trim() === '') return undefined;
    return { line, value: parseText(text, 'The line') };
  } catch (error) {
    if (!(error instanceof BadJson)) return { line, error: refusalOf(error, 'The line') };
    const message = `The line ${error.message} at column ${error.column}.`;
    return { line, error: new ApiError('invalid_json', { message }) };
  }
}

async function addElements(bytes: Buffer, share: EventLoopShare, add: AddItem): Promise<void> {
  const text = decode(bytes, 'The body');
  if (!/^[ \t\r\n]*\[/.test(text)) throw wrongLength('must be a list');
  try {
    let line = 0;
    for (const element of splitArray(text)) {
      const free = share.whenFree();
      if (free !== undefined) await free;
      if (element !== undefined) add(readElement(++line, element, text));
    }
  } catch (error) {
    throw error instanceof BadJson ? invalidJson(error) : error;
  }
}

/** @throws {BadJson} with the position in the whole array */
function readElement(line: number, element: ArrayElement, whole: string): Item {
  if (Buffer.byteLength(element.text) > ITEM_BYTES_MAX) return { line, error: tooLarge('The element') };
  try {
    return { line, value: parseText(element.text, 'The element') };
  } catch (error) {
    if (error instanceof BadJson) throw inWhole(whole, element, error);
    return { line, error: refusalOf(error, 'The element') };
  }
}

/** @throws the error itself, if it is not a fault of the item */
function refusalOf(error: unknown, what: string): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof UnusableJson)
    return invalidRequest([{ path: error.path, message: error.message }], what);
  throw error;
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array, void> {
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES);
}

function wrongLength(message: string): ApiError {
  return invalidRequest([{ path: '', message }]);
}

function tooLarge(what: string): ApiError {
  return new ApiError('body_too_large', { message: `${what} is over the limit of 1 MiB.` });
}
