/**
 * How often random tests run, and how large those of faults are. Every change runs a few, with new random values each time; once a
 * night `TEST_RUNS=10` runs ten times as many (.github/workflows/nightly.yml).
 */
const FACTOR = Number(process.env['TEST_RUNS'] ?? '1');

const IS_NIGHT = FACTOR > 1;

/** What costs by its size, or has many cases: less of it for a change, all of it at night. */
export function byRun<Value>({ change, night }: { change: Value; night: Value }): Value {
  return IS_NIGHT ? night : change;
}

/** @param count of runs, kill points or values for a change */
export function runs(count: number): number {
  return count * FACTOR;
}
