/**
 * Writes the log. A full disk, or a reader that is gone, must not end the process: lines wait in memory until they can
 * be written; beyond a limit they are lost.
 */
import { pino } from 'pino';

type Destination = ReturnType<typeof pino.destination>;

export interface LogDestination {
  readonly stream: Destination;
  /** Writes the waiting lines, if possible. */
  flush: () => void;
}

/** A few thousand lines. */
const WAITING_BYTES_MAX = 1024 * 1024;

export interface LogFailures {
  /** Called when lines cannot be written, and not again until `onWritten`. `code` is Node's code. */
  onFailed: (code: string) => void;
  /** Called when lines can be written again; `lost` lines were lost. */
  onWritten: (lost: number) => void;
}

/** @param descriptor the descriptor of an open file */
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
      if (!isFailing) stream.flushSync(); // it would try forever
    },
  };
}
