/**
 * The open streams of one connection and what becomes of each: the peer's frames on a stream end it sooner or later,
 * and whatever ends it says whether its request was answered, was never sent, or is in doubt.
 */
import type { Answer } from './answer.ts';
import { AnsweredStream } from './answered-stream.ts';
import type { FrameBudget } from './frames/frame-budget.ts';
import type { HeaderBlock } from './hpack/hpack-decoder.ts';
import type { Exchange, Outgoing, OutgoingStream } from './outgoing.ts';
import { errorCode, errorName, ProtocolError } from './frames/protocol.ts';
import { flawOfEnd, type ReceivedAnswer, STATUS_OK, takeBody, takeHeaders } from './received-answer.ts';
import { StreamTable } from './stream-table.ts';
import type { TransportFailure } from './transport-reason.ts';

/** A request on its way, and its answer as far as it has come. */
export interface Stream<Sent extends Exchange> extends ReceivedAnswer {
  readonly exchange: Sent;
  /** On the monotonic clock, in milliseconds. */
  readonly sentAt: number;
  readonly outgoing: OutgoingStream;
}

/** Answers of both gateways are well under 4 KiB; a proxy's error page is cut here, far below a stream's window. */
const BODY_BYTES_MAX = 16_384;
const NO_FIELDS: readonly string[] = [];
const REFUSED_STREAM: TransportFailure = { reason: 'refused_stream' };
const REFUSED_BY_GOAWAY: TransportFailure = { reason: 'refused_by_goaway' };

export class OpenStreams<Sent extends Exchange> {
  readonly #outgoing: Outgoing;
  readonly #budget: FrameBudget;
  readonly #onEnd: (stream: Stream<Sent>, answer: Answer) => void;
  readonly #table = new StreamTable<Stream<Sent>>();
  /** Streams above this one have not been given to the socket: whatever happens, they were never sent. */
  writtenThrough = -1;

  /** @param onEnd told once of every stream, when it is no longer open; never while `open` runs */
  constructor(
    outgoing: Outgoing,
    budget: FrameBudget,
    onEnd: (stream: Stream<Sent>, answer: Answer) => void,
  ) {
    this.#outgoing = outgoing;
    this.#budget = budget;
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#table.size;
  }

  /** In the order of sending. Streams may end meanwhile. */
  values(): Iterable<Stream<Sent>> {
    return this.#table.values();
  }

  /** @returns false where no connection can send it, because its headers are larger than a frame */
  open(exchange: Sent): boolean {
    const outgoing = this.#outgoing.request(exchange);
    if (outgoing === undefined) return false;
    this.#table.add({
      exchange,
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

  /** @param frames what the block has cost to read */
  onHeaders(streamId: number, block: HeaderBlock, isEnd: boolean, frames: number): void {
    const stream = this.#table.get(streamId);
    if (stream === undefined) return this.#onStray(streamId, frames);
    const flaw = takeHeaders(stream, block, isEnd);
    if (flaw !== undefined) this.#dismiss(stream, flaw);
    else if (isEnd) this.#onEndOfAnswer(stream);
    else if (stream.status === 0) this.#budget.spend(frames); // an interim answer
  }

  onBody(streamId: number, body: Buffer, isEnd: boolean): void {
    const stream = this.#table.get(streamId);
    if (stream === undefined) return this.#onStray(streamId, 1);
    if (body.length === 0 && !isEnd) this.#budget.spend();
    const flaw = takeBody(stream, body);
    if (flaw !== undefined) {
      this.#dismiss(stream, flaw);
    } else if (isEnd) {
      this.#onEndOfAnswer(stream);
    } else if (stream.bodyBytes >= BODY_BYTES_MAX) {
      this.#outgoing.reset(streamId, errorCode.cancel); // its status and its first words are enough
      this.#answer(stream);
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
    else if (bytes === 0) this.#dismiss(stream, 'a window that is widened by nothing');
    else if (!this.#outgoing.widenStream(stream.outgoing, bytes)) this.#budget.spend();
  }

  /** Those above were not processed; the others may still be answered (RFC 9113, section 6.8). */
  onGoaway(lastStreamId: number): void {
    for (const stream of this.#table.values()) {
      if (stream.outgoing.id <= lastStreamId) continue;
      if (stream.status === 0) this.#refuse(stream, REFUSED_BY_GOAWAY);
      else this.#breakOff(stream, REFUSED_BY_GOAWAY);
    }
  }

  /** Gives a stream up and tells the peer. Its answer is `ambiguous`, unless its end never left this process. */
  cancel(stream: Stream<Sent>, failure: TransportFailure): void {
    this.#outgoing.reset(stream.outgoing.id, errorCode.cancel);
    this.#breakOff(stream, failure);
  }

  /** The connection has ended. */
  breakOffAll(failure: TransportFailure): void {
    for (const stream of this.#table.values()) this.#breakOff(stream, failure);
  }

  /** A frame on a stream that has ended is legal for a while, but not on one that never was (section 5.1). */
  #onStray(streamId: number, frames: number): void {
    if (!this.#outgoing.hasOpened(streamId)) {
      throw new ProtocolError(errorCode.protocolError, 'a frame on a stream that was never opened');
    }
    this.#budget.spend(frames);
  }

  #onEndOfAnswer(stream: Stream<Sent>): void {
    const flaw = flawOfEnd(stream);
    if (flaw !== undefined) return this.#dismiss(stream, flaw);
    // The peer has answered without the rest of the body, and need not be sent it.
    if (stream.outgoing.unsent !== undefined) this.#outgoing.reset(stream.outgoing.id, errorCode.cancel);
    return this.#answer(stream);
  }

  #answer(stream: Stream<Sent>): void {
    const { status, fields, chunks } = stream;
    this.#budget.earn();
    this.#leave(stream, new AnsweredStream(status, fields, chunks));
  }

  /** The peer breaks the rules on one stream: what it says there is no answer (sections 5.4.2 and 8.1.1). */
  #dismiss(stream: Stream<Sent>, flaw: string): void {
    this.#outgoing.reset(stream.outgoing.id, errorCode.protocolError);
    this.#lose(stream, { reason: 'protocol_error', detail: flaw });
  }

  /** The end of a stream without the end of its answer. */
  #breakOff(stream: Stream<Sent>, failure: TransportFailure): void {
    // A push that was taken is taken; of any other answer the words that are missing may be those that count.
    if (stream.status === STATUS_OK) this.#answer(stream);
    else this.#lose(stream, failure);
  }

  /** No answer will come. The peer may have processed the request, unless its end has not left this process. */
  #lose(stream: Stream<Sent>, failure: TransportFailure): void {
    const { id, unsent } = stream.outgoing;
    if (unsent !== undefined || id > this.writtenThrough) this.#refuse(stream, failure);
    else this.#leave(stream, { kind: 'ambiguous', ...failure });
  }

  #refuse(stream: Stream<Sent>, failure: TransportFailure): void {
    this.#leave(stream, { kind: 'never_sent', ...failure });
  }

  #leave(stream: Stream<Sent>, answer: Answer): void {
    this.#table.delete(stream.outgoing.id);
    if (stream.outgoing.unsent !== undefined) this.#outgoing.giveUp(stream.outgoing);
    this.#onEnd(stream, answer);
  }
}
