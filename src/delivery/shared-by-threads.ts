/** What all threads of a process that deliver share. It is plain data, which a thread gets when it starts. */
import { randomUUID } from 'node:crypto';

export interface SharedByThreads {
  /** Identifies the process to those that take over its slices: if it leases one of its own again, nobody has died. */
  holder: string;
  /** Taken by the thread that does what may kill the process (`OneAtATime`). */
  turn: Int32Array;
}

export function makeSharedByThreads(): SharedByThreads {
  return { holder: randomUUID(), turn: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) };
}
