import { expect, test } from 'vitest';
import { idsOfImport } from '../../../src/devices/import/copy.ts';

test('the ids of 131,072 devices are spread evenly over 65,536 ranges', () => {
  const idOf = idsOfImport();
  const counts = new Map<string, number>();
  for (let line = 1; line <= 131_072; line++) {
    const start = idOf(line).slice(0, 4);
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  expect(counts.size).toBe(65_536);
  expect(new Set(counts.values())).toEqual(new Set([2]));
});
