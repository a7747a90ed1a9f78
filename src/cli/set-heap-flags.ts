import { setFlagsFromString } from 'node:v8';

/**
 * The heap may grow by this share of the live data before V8 collects it. V8's default is four times the live data: 100 MB
 * of garbage during a bulk send, on a machine that often runs the database too. Measured in docs/decisions/0007: a quarter
 * less memory at the same throughput.
 */
const HEAP_GROWING_PERCENT = 70;

/** For long-running processes; call it first. */
export function setHeapFlags(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  // If most of a hundred objects from one line of code survive a collection, as in a burst of pushes at the start, V8
  // allocates all later ones in the old generation. There they keep everything that they refer to alive until a full
  // collection.
  setFlagsFromString('--no-allocation-site-pretenuring');
}
