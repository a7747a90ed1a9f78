/**
 * How often random tests run. Every change runs a few, with new random values each time; once a night `TEST_RUNS=10` runs ten times as
 * many (.github/workflows/nightly.yml).
 */
const FACTOR = Number(process.env['TEST_RUNS'] ?? '1');

/** @param count of runs, kill points or values for a change */
export function runs(count: number): number {
  return count * FACTOR;
}
