/** An answer as it comes, and the form that it must have (RFC 9113, section 8). */
import type { HeaderBlock } from './hpack/hpack-decoder.ts';

export interface ReceivedAnswer {
  /** 0 until the headers have come. */
  status: number;
  /** Flat names and values. */
  fields: readonly string[];
  /** Of the body; undefined where there is none, and with status 200. */
  chunks: Buffer[] | undefined;
  bodyBytes: number;
  /** What its `content-length` says; -1 where it says nothing. */
  contentLength: number;
}

/** By which both gateways say that they took a push: nobody reads the body then. */
export const STATUS_OK = 200;
/** Pieces of a body that are kept as they came: each costs a hundred bytes, however small it is. */
const CHUNKS_MAX = 64;
const COLON = 0x3a;

/**
 * Takes in a header block: of an interim answer, of the answer itself, or trailers.
 * @returns what is wrong with it; undefined where nothing is
 */
export function takeHeaders(
  answer: ReceivedAnswer,
  { fields, isMalformed }: HeaderBlock,
  isEnd: boolean,
): string | undefined {
  if (isMalformed) return 'a header that is malformed';
  if (answer.status !== 0) return flawOfTrailers(fields, isEnd);
  const status = statusOf(fields);
  if (status === undefined) return 'an answer without a status';
  let contentLength = -1;
  for (let at = 2; at < fields.length; at += 2) {
    const name = fields[at] ?? '';
    if (name.charCodeAt(0) === COLON) return 'a pseudo-header that has no place in an answer';
    if (name === 'content-length') {
      const length = lengthOf(fields[at + 1] ?? '');
      if (length === undefined || (contentLength >= 0 && contentLength !== length)) {
        return 'a content-length that is none';
      }
      contentLength = length;
    }
  }
  if (status < 200) {
    if (status === 101) return 'an upgrade, which HTTP/2 does not have'; // section 8.6
    return isEnd ? 'an interim answer that ends the stream' : undefined;
  }
  answer.status = status;
  answer.fields = fields;
  answer.contentLength = contentLength;
  return undefined;
}

/** @returns what is wrong with it; undefined where nothing is */
export function takeBody(answer: ReceivedAnswer, body: Buffer): string | undefined {
  if (answer.status === 0) return 'a body before its headers';
  answer.bodyBytes += body.length;
  if (body.length === 0 || answer.status === STATUS_OK) return undefined;
  const chunks = (answer.chunks ??= []);
  chunks.push(Buffer.from(body));
  if (chunks.length > CHUNKS_MAX) answer.chunks = [Buffer.concat(chunks)];
  return undefined;
}

/** The answer has ended. @returns what is wrong with it; undefined where nothing is */
export function flawOfEnd({ status, bodyBytes, contentLength }: ReceivedAnswer): string | undefined {
  if (contentLength < 0 || contentLength === bodyBytes) return undefined;
  return status === 304 ? undefined : 'a body of another length than announced'; // 304: section 8.1.1
}

function flawOfTrailers(fields: readonly string[], isEnd: boolean): string | undefined {
  if (!isEnd) return 'trailers that do not end the stream';
  for (let at = 0; at < fields.length; at += 2) {
    if (fields[at]?.charCodeAt(0) === COLON) return 'a pseudo-header among the trailers';
  }
  return undefined;
}

/** It comes first (section 8.3), and has three digits (section 8.3.2). */
function statusOf(fields: readonly string[]): number | undefined {
  if (fields[0] !== ':status') return undefined;
  const text = fields[1] ?? '';
  if (text === '200') return STATUS_OK;
  return /^[1-9]\d\d$/.test(text) ? Number(text) : undefined;
}

function lengthOf(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
