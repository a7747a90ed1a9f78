/**
 * The open streams of one connection. Every stream ends with an answer. Frames from the peer, a reset by either side or
 * the end of the connection decide whether it is `answered`, `never_sent` or `ambiguous`.
 */
import type { Answer } from './answer.ts';
import type { FrameBudget } from './frames/frame-budget.ts';
import { errorCode, errorName, ProtocolError } from './frames/protocol.ts';
import type { HeaderBlock } from './hpack/hpack-decoder.ts';
import type { Http2Request, Outgoing, OutgoingStream } from './outgoing.ts';
import {
  addBody,
  addHeaders,
  CompleteAnswer,
  lengthFault,
  type PartialAnswer,
  STATUS_OK,
} from './partial-answer.ts';
import { StreamTable } from './stream-table.ts';
import type { TransportFailure } from './transport-reason.ts';

/** A request in flight, and its answer as far as it has arrived. */
export interface Stream<Request extends Http2Request> extends PartialAnswer {
  readonly request: Request;
  /** On the monotonic clock, in milliseconds. */
  readonly sentAt: number;
  readonly outgoing: OutgoingStream;
}

/** Bodies are cut after this many bytes, far fewer than a stream's window; push gateways send less than 4 KiB. */
const BODY_BYTES_MAX = 16_384;
const NO_FIELDS: readonly string[] = [];
const REFUSED_STREAM: TransportFailure = { reason: 'refused_stream' };
const REFUSED_BY_GOAWAY: TransportFailure = { reason: 'refused_by_goaway' };

export class OpenStreams<Request extends Http2Request> {
  readonly #outgoing: Outgoing;
  readonly #budget: FrameBudget;
  readonly #onEnd: (stream: Stream<Request>, answer: Answer) => void;
  readonly #table = new StreamTable<Stream<Request>>();
  readonly #bodyBytesMax: number;
  /** Whether an answer with status 200 is complete only with its body. */
  readonly #keepsAllBodies: boolean;
  /** Streams above this id have not been handed to the socket, so they were never sent. */
  lastWrittenId = -1;

  /**
   * @param onEnd called once for every stream, after it has closed; never while `open` runs
   * @param bodyBytesMax bodies are kept up to this size, whatever the status; undefined: only the bodies of failures
   */
  constructor(
    outgoing: Outgoing,
    budget: FrameBudget,
    onEnd: (stream: Stream<Request>, answer: Answer) => void,
    bodyBytesMax?: number,
  ) {
    this.#outgoing = outgoing;
    this.#budget = budget;
    this.#onEnd = onEnd;
    this.#bodyBytesMax = bodyBytesMax ?? BODY_BYTES_MAX;
    this.#keepsAllBodies = bodyBytesMax !== undefined;
  }

  get size(): number {
    return this.#table.size;
  }

  /** In the order of sending. Streams may end during the iteration. */
  values(): Iterable<Stream<Request>> {
    return this.#table.values();
  }

  /** @returns false if the request's headers are larger than a frame, so that no connection can send it */
  open(request: Request): boolean {
    const outgoing = this.#outgoing.open(request);
    if (outgoing === undefined) return false;
    this.#table.add({
      request,
      sentAt: performance.now(),
      outgoing,
      status: 0,
      fields: NO_FIELDS,
      chunks: undefined,
      bodyBytes: 0,
      contentLength: -1,
    });
    return true;
  }

  /** @param cost the cost of reading the block, as a number of useless frames */
  onHeaders(streamId: number, block: HeaderBlock, isEnd: boolean, cost: number): void {
    const stream = this.#table.get(streamId);
    if (stream === undefined) return this.#onStray(streamId, cost);
    const fault = addHeaders(stream, block, isEnd);
    if (fault !== undefined) this.#reject(stream, fault);
    else if (isEnd) this.#onAnswerEnd(stream);
    else if (stream.status === 0) this.#budget.spend(cost); // an interim answer
  }

  onBody(streamId: number, body: Buffer, isEnd: boolean): void {
    const stream = this.#table.get(streamId);
    if (stream === undefined) return this.#onStray(streamId, 1);
    if (body.length === 0 && !isEnd) this.#budget.spend();
    const fault = addBody(stream, body, this.#keepsAllBodies);
    if (fault !== undefined) {
      this.#reject(stream, fault);
    } else if (isEnd) {
      this.#onAnswerEnd(stream);
    } else if (stream.bodyBytes >= this.#bodyBytesMax) {
      this.#outgoing.reset(streamId, errorCode.cancel); // the rest of the body is not needed
      this.#complete(stream);
    }
  }

  onReset(streamId: number, code: number): void {
    const stream = this.#table.get(streamId);
    if (stream === undefined) this.#onStray(streamId, 1);
    else if (code === errorCode.refusedStream && stream.status === 0) this.#refuse(stream, REFUSED_STREAM);
    else this.#breakOff(stream, { reason: 'stream_reset', detail: errorName(code) });
  }

  onWindowUpdate(streamId: number, bytes: number): void {
    const stream = this.#table.get(streamId);
    if (stream === undefined) this.#onStray(streamId, 1);
    else if (bytes === 0) this.#reject(stream, 'a window update of 0 bytes');
    else if (!this.#outgoing.widenStream(stream.outgoing, bytes)) this.#budget.spend();
  }

  /** Streams above the id were not processed; the others may still be answered (RFC 9113, section 6.8). */
  onGoaway(lastStreamId: number): void {
    for (const stream of this.#table.values()) {
      if (stream.outgoing.id <= lastStreamId) continue;
      if (stream.status === 0) this.#refuse(stream, REFUSED_BY_GOAWAY);
      else this.#breakOff(stream, REFUSED_BY_GOAWAY);
    }
  }

  /** Resets a stream. Its answer is `ambiguous`, or `never_sent` if its end has not left this process. */
  cancel(stream: Stream<Request>, failure: TransportFailure): void {
    this.#outgoing.reset(stream.outgoing.id, errorCode.cancel);
    this.#breakOff(stream, failure);
  }

  /** The connection has ended. */
  failAll(failure: TransportFailure): void {
    for (const stream of this.#table.values()) this.#breakOff(stream, failure);
  }

  /** A frame on a stream that has ended is legal for a while, but not on one that was never opened (section 5.1). */
  #onStray(streamId: number, cost: number): void {
    if (!this.#outgoing.hasOpened(streamId)) {
      throw new ProtocolError(errorCode.protocolError, 'a frame on a stream that was never opened');
    }
    this.#budget.spend(cost);
  }

  #onAnswerEnd(stream: Stream<Request>): void {
    const fault = lengthFault(stream);
    if (fault !== undefined) return this.#reject(stream, fault);
    // The peer has answered without reading the rest of the request.
    if (stream.outgoing.unsent !== undefined) this.#outgoing.reset(stream.outgoing.id, errorCode.cancel);
    return this.#complete(stream);
  }

  #complete(stream: Stream<Request>): void {
    const { status, fields, chunks } = stream;
    this.#budget.earn();
    this.#close(stream, new CompleteAnswer(status, fields, chunks));
  }

  /** A malformed answer is a stream error, and the request counts as unanswered (sections 5.4.2 and 8.1.1). */
  #reject(stream: Stream<Request>, fault: string): void {
    this.#outgoing.reset(stream.outgoing.id, errorCode.protocolError);
    this.#fail(stream, { reason: 'protocol_error', detail: fault });
  }

  /** The stream ends before its answer. */
  #breakOff(stream: Stream<Request>, failure: TransportFailure): void {
    // A 200 shows by itself that the request was accepted; the meaning of any other status may be in the missing body.
    if (stream.status === STATUS_OK && !this.#keepsAllBodies) this.#complete(stream);
    else this.#fail(stream, failure);
  }

  /** The answer is `ambiguous`, or `never_sent` if the end of the request has not left this process. */
  #fail(stream: Stream<Request>, failure: TransportFailure): void {
    const { id, unsent } = stream.outgoing;
    if (unsent !== undefined || id > this.lastWrittenId) this.#refuse(stream, failure);
    else this.#close(stream, { kind: 'ambiguous', ...failure });
  }

  #refuse(stream: Stream<Request>, failure: TransportFailure): void {
    this.#close(stream, { kind: 'never_sent', ...failure });
  }

  #close(stream: Stream<Request>, answer: Answer): void {
    this.#table.delete(stream.outgoing.id);
    if (stream.outgoing.unsent !== undefined) this.#outgoing.dropUnsent(stream.outgoing);
    this.#onEnd(stream, answer);
  }
}
