/** An answer while it arrives, the rules that it must obey (RFC 9113, section 8), and the complete answer. */
import type { Answered, AnswerHeaders } from './answer.ts';
import type { HeaderBlock } from './hpack/hpack-decoder.ts';

export interface PartialAnswer {
  /** 0 until the headers have arrived. */
  status: number;
  /** Alternating names and values. */
  fields: readonly string[];
  /** The body; undefined while there is none, and with status 200 unless all bodies are kept. */
  chunks: Buffer[] | undefined;
  bodyBytes: number;
  /** From the `content-length` header; -1 without one. */
  contentLength: number;
}

/** The status that can be understood without its body. */
export const STATUS_OK = 200;
/** A body with more chunks than this is joined into one: each chunk costs a hundred bytes, however small it is. */
const CHUNKS_MAX = 64;
const COLON = 0x3a;

/** Builds headers and body only when they are read: for most requests, only the status is read. */
export class CompleteAnswer implements Answered {
  readonly kind = 'answered';
  readonly status: number;
  /** Alternating names and values. */
  readonly #fields: readonly string[];
  readonly #chunks: readonly Buffer[] | undefined;

  constructor(status: number, fields: readonly string[], chunks?: readonly Buffer[]) {
    this.status = status;
    this.#fields = fields;
    this.#chunks = chunks;
  }

  /** If a name occurs more than once, its last value counts. */
  get headers(): AnswerHeaders {
    const headers: Record<string, string> = {};
    for (let at = 0; at < this.#fields.length; at += 2) {
      headers[this.#fields[at] ?? ''] = this.#fields[at + 1] ?? '';
    }
    return headers;
  }

  get body(): string {
    return Buffer.concat(this.#chunks ?? []).toString('utf8');
  }
}

/**
 * Adds a header block: interim headers, the final ones, or trailers.
 * @returns the rule that the block breaks, if any
 */
export function addHeaders(
  answer: PartialAnswer,
  { fields, isMalformed }: HeaderBlock,
  isEnd: boolean,
): string | undefined {
  if (isMalformed) return 'a malformed header';
  if (answer.status !== 0) return trailerFault(fields, isEnd);
  const status = parseStatus(fields);
  if (status === undefined) return 'an answer without a status';
  let contentLength = -1;
  for (let at = 2; at < fields.length; at += 2) {
    const name = fields[at] ?? '';
    if (name.charCodeAt(0) === COLON) return 'a pseudo-header other than the status';
    if (name === 'content-length') {
      const length = parseLength(fields[at + 1] ?? '');
      if (length === undefined || (contentLength >= 0 && contentLength !== length)) {
        return 'an invalid content-length';
      }
      contentLength = length;
    }
  }
  if (status < 200) {
    if (status === 101) return 'status 101, which HTTP/2 does not have'; // section 8.6
    return isEnd ? 'an interim answer that ends the stream' : undefined;
  }
  answer.status = status;
  answer.fields = fields;
  answer.contentLength = contentLength;
  return undefined;
}

/** @param keepsAll whether the body of a 200 is kept too @returns the rule that the body breaks, if any */
export function addBody(answer: PartialAnswer, body: Buffer, keepsAll: boolean): string | undefined {
  if (answer.status === 0) return 'a body before its headers';
  answer.bodyBytes += body.length;
  if (body.length === 0 || (answer.status === STATUS_OK && !keepsAll)) return undefined;
  const chunks = (answer.chunks ??= []);
  chunks.push(Buffer.from(body));
  if (chunks.length > CHUNKS_MAX) answer.chunks = [Buffer.concat(chunks)];
  return undefined;
}

/** Compares the size of the whole body with its `content-length`. @returns the rule that it breaks, if any */
export function lengthFault({ status, bodyBytes, contentLength }: PartialAnswer): string | undefined {
  if (contentLength < 0 || contentLength === bodyBytes) return undefined;
  return status === 304 ? undefined : 'a body of another length than its content-length'; // 304: section 8.1.1
}

function trailerFault(fields: readonly string[], isEnd: boolean): string | undefined {
  if (!isEnd) return 'trailers that do not end the stream';
  for (let at = 0; at < fields.length; at += 2) {
    if (fields[at]?.charCodeAt(0) === COLON) return 'a pseudo-header in the trailers';
  }
  return undefined;
}

/** The status comes first (section 8.3) and has three digits (section 8.3.2). */
function parseStatus(fields: readonly string[]): number | undefined {
  if (fields[0] !== ':status') return undefined;
  const text = fields[1] ?? '';
  if (text === '200') return STATUS_OK;
  return /^[1-9]\d\d$/.test(text) ? Number(text) : undefined;
}

function parseLength(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
