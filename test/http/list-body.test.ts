/** The server keeps answering while a long list is read: the event loop is given back between small pieces. */
import { describe, expect, test } from 'vitest';
import type { EventLoopShare } from '../../src/scheduling/event-loop-share.ts';
import { type Item, readList } from '../../src/http/list-body.ts';

const MIB = 1024 * 1024;

/** Counts the pauses; each ends in a later turn, as when the share is always used up. */
function countingShare(): EventLoopShare & { pauses: number } {
  return {
    pauses: 0,
    whenFree(): Promise<void> {
      this.pauses += 1;
      return new Promise(setImmediate);
    },
  };
}

async function read(text: string, isNdjson: boolean): Promise<{ items: Item[]; pauses: number }> {
  const share = countingShare();
  const items = await readList({ bytes: Buffer.from(text), isNdjson }, 1_000, share);
  return { items, pauses: share.pauses };
}

describe('the event loop is given back', () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => index);

  test.each([
    ['lines', numbers.join('\n'), true],
    ['elements', JSON.stringify(numbers), false],
  ])(
    'the event loop is given back between 1,000 %s, all of which are read',
    async (_what, text, isNdjson) => {
      const { items, pauses } = await read(text, isNdjson);
      expect(items).toEqual(numbers.map((value) => ({ line: value + 1, value })));
      expect(pauses).toBeGreaterThanOrEqual(1_000);
    },
  );

  test('the event loop is given back every 64 KiB of a body of empty lines', async () => {
    const { items, pauses } = await read(`${'\n'.repeat(4 * MIB)}7`, true);
    expect(items).toEqual([{ line: 4 * MIB + 1, value: 7 }]);
    expect(pauses).toBeGreaterThanOrEqual(64);
  });

  test('the event loop is given back every 64 Ki characters of an element', async () => {
    const { items, pauses } = await read(`["${'x'.repeat(4 * MIB)}",7]`, false);
    expect(items).toMatchObject([
      { line: 1, error: { code: 'body_too_large' } },
      { line: 2, value: 7 },
    ]);
    expect(pauses).toBeGreaterThanOrEqual(64);
  });
});
