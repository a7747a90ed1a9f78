/** Serves one request: answers by the gateway's rules, unless a fault was ordered for it. */
import { constants } from 'node:http2';
import type { Ending, FaultBook, MishapRequest } from './faults.ts';
import type { Exchange, Reply } from './listener.ts';

export interface Servable extends Omit<MishapRequest, 'requestNumber'> {
  /** Answers by the gateway's rules, and records the push if it is accepted. Called at most once. */
  judge: () => Reply;
  /** Makes the reply for an ordered answer in the gateway's format, and records the error. */
  answer: (ordered: Extract<Ending, { kind: 'answer' }>) => Reply;
}

export interface Delays {
  /** Calls `then` after `delayMs` milliseconds, unless `clear` is called before. */
  after(delayMs: number, then: () => void): void;
  clear(): void;
}

export function serve(exchange: Exchange, request: Servable, faults: FaultBook, delays: Delays): void {
  const mishap = faults.meet({ ...request, requestNumber: exchange.connection.requests });
  if (mishap.goAway) exchange.goAway();
  const end = (): void => endExchange(exchange, request, mishap.ending);
  if (mishap.delayMs > 0) delays.after(mishap.delayMs, end);
  else end();
}

function endExchange(exchange: Exchange, request: Servable, ending: Ending | undefined): void {
  if (ending === undefined) {
    exchange.reply(request.judge());
    return;
  }
  if (ending.kind === 'answer') {
    exchange.reply(request.answer(ending));
    return;
  }
  if (ending.kind === 'refuse') {
    exchange.reset(constants.NGHTTP2_REFUSED_STREAM);
    return;
  }
  if (ending.received) request.judge();
  switch (ending.kind) {
    case 'reset':
      exchange.reset(ending.errorCode);
      return;
    case 'drop':
      exchange.connection.drop();
      return;
    case 'stall':
      if (ending.what === 'connection') exchange.connection.stalled = true;
  }
}

export function createDelays(): Delays {
  const timers = new Set<NodeJS.Timeout>();
  return {
    after: (delayMs, then) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        then();
      }, delayMs);
      timers.add(timer);
    },
    clear: () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
