import { expect, test } from 'vitest';
import { cutIdSpace } from '../../src/delivery/start/id-ranges.ts';

const asNumber = (id: string): bigint => BigInt(`0x${id.replaceAll('-', '')}`);

test.each([1, 2, 3, 7, 10, 999, 10_000])('%i ranges cover every id once', (count) => {
  const ranges = cutIdSpace(count);
  expect(ranges).toHaveLength(count);
  expect(ranges[0]?.firstId).toBe('00000000-0000-0000-0000-000000000000');
  expect(ranges.at(-1)?.lastId).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff');
  for (const [index, range] of ranges.entries()) {
    expect(asNumber(range.firstId)).toBeLessThanOrEqual(asNumber(range.lastId));
    const next = ranges[index + 1];
    if (next !== undefined) expect(asNumber(next.firstId)).toBe(asNumber(range.lastId) + 1n);
  }
});
