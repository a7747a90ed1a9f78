/** What the threads of a process that deliver have in common. It is plain data, which a thread gets when it starts. */
import { randomUUID } from 'node:crypto';

export interface DeliveringProcess {
  /** Identifies the process to those that take over its slices: if it leases one of its own again, nobody has died. */
  holder: string;
  /** Taken by the thread that does what may kill the process (`OneAtATime`). */
  turn: Int32Array;
}

export function describeProcess(): DeliveringProcess {
  return { holder: randomUUID(), turn: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) };
}
