/** Serves one request: answers by the gateway's rules, unless a fault was ordered for it. */
import { constants } from 'node:http2';
import type { Certificate } from './certificate.ts';
import type { Ending, FaultBook, MishapRequest, OrderedAnswer } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Exchange, Reply } from './listener.ts';

/** What all simulated services have. */
export interface Shared {
  clock: () => Date;
  host: string;
  certificate: Certificate;
  ledger: Ledger;
  faults: FaultBook;
  delays: Delays;
}

export interface Servable extends Omit<MishapRequest, 'requestNumber'> {
  /** Answers by the gateway's rules, and records the push if it is accepted. Called at most once. */
  judge: () => Reply;
  /** The gateway's own headers and body for an ordered answer; those of the order replace them. */
  answer: (ordered: OrderedAnswer) => Omit<Reply, 'status'>;
}

export interface Delays {
  /** Calls `then` after `delayMs` milliseconds, unless `clear` is called before. */
  after(delayMs: number, then: () => void): void;
  clear(): void;
}

export function serve(
  exchange: Exchange,
  request: Servable,
  { ledger, faults, delays }: Pick<Shared, 'ledger' | 'faults' | 'delays'>,
): void {
  ledger.asked(request.gateway, exchange.connection.requests);
  const mishap = faults.meet({ ...request, requestNumber: exchange.connection.requests });
  if (mishap.goAway) exchange.goAway();
  const end = (): void => endExchange(exchange, request, mishap.ending, ledger);
  if (mishap.delayMs > 0) delays.after(mishap.delayMs, end);
  else end();
}

function endExchange(
  exchange: Exchange,
  request: Servable,
  ending: Ending | undefined,
  ledger: Ledger,
): void {
  if (ending === undefined) exchange.reply(request.judge());
  else if (ending.kind === 'refuse') exchange.reset(constants.NGHTTP2_REFUSED_STREAM);
  else if (ending.kind === 'answer') {
    const { status, reason } = ending;
    ledger.refused(request.gateway, reason ?? `HTTP ${status}`);
    const { headers, body } = request.answer(ending);
    exchange.reply({ status, headers: { ...headers, ...ending.headers }, body: ending.body ?? body });
  } else {
    if (ending.received) request.judge();
    if (ending.kind === 'reset') exchange.reset(ending.errorCode);
    else if (ending.kind === 'drop') exchange.connection.drop();
    else if (ending.what === 'connection') exchange.connection.stalled = true;
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
