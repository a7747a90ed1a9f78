import { setFlagsFromString } from 'node:v8';

/**
 * By how much the heap may outgrow what is alive before V8 collects it. By itself V8 lets it grow to four times that,
 * 100 MB of garbage under a broadcast, on a machine that often has the database as well. Measured in
 * docs/decisions/0007: a quarter less memory, and the same throughput.
 */
const HEAP_GROWING_PERCENT = 70;

/** For a process that is to run for long. */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
}
