/**
 * Where the log is written to. A disk that is full, or a reader that is gone, must not end the process: lines wait in memory
 * until they can be written, up to a limit, and then are lost.
 */
import { pino } from 'pino';

type Destination = ReturnType<typeof pino.destination>;

export interface LogDestination {
  readonly stream: Destination;
  /** Writes what waits, if it can be written. */
  flush: () => void;
}

/** A few thousand lines. */
const WAITING_BYTES_MAX = 1024 * 1024;

export interface LogFailures {
  /** Lines cannot be written; called once, until `onWritten`. `code` is that of Node. */
  onFailed: (code: string) => void;
  /** They can be written again; this many were lost. */
  onWritten: (lost: number) => void;
}

/** @param descriptor of an open file */
export function openLogDestination(descriptor: number, { onFailed, onWritten }: LogFailures): LogDestination {
  // Synchronous, so that no line is lost when the process ends.
  const stream = pino.destination({ dest: descriptor, sync: true, maxLength: WAITING_BYTES_MAX });
  let isFailing = false;
  let lost = 0;
  stream.on('drop', () => {
    lost += 1;
  });
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isFailing) return;
    isFailing = true;
    onFailed(error.code ?? error.message);
    stream.once('drain', () => {
      isFailing = false;
      const count = lost;
      lost = 0;
      onWritten(count);
    });
  });
  return {
    stream,
    flush: () => {
      if (!isFailing) stream.flushSync(); // it would try for ever
    },
  };
}
