/** Finds the known name that a misspelt one probably means: "did you mean …?". */

/** Longer names are not compared: the time grows with the product of the two lengths. */
const CHARACTERS_MAX = 40;
/** A misspelling changes at most one character in three. */
const CHARACTERS_PER_CHANGE = 3;

/** @returns the known name that needs the fewest changes; undefined if all need too many */
export function nearestOf(name: string, known: Iterable<string>): string | undefined {
  if (name.length > CHARACTERS_MAX) return undefined;
  let nearest: string | undefined;
  let fewest = Math.max(1, Math.floor(name.length / CHARACTERS_PER_CHANGE)) + 1;
  for (const candidate of known) {
    const changes = changesBetween(name.toLowerCase(), candidate.toLowerCase());
    if (changes >= fewest) continue;
    nearest = candidate;
    fewest = changes;
  }
  return nearest;
}

/** The number of characters to add, remove, replace or swap with the next (optimal string alignment distance). */
function changesBetween(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const changes = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      changes.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (changes[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, changes];
  }
  return last[right.length] ?? 0;
}
