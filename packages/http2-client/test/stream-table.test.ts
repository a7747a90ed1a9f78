import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { StreamTable } from '../src/stream-table.ts';

interface Stream {
  outgoing: { id: number };
}

/** Each step opens some streams, then ends a share of the open ones, the oldest or the newest first. */
const steps = fc.array(
  fc.record({
    opened: fc.integer({ min: 0, max: 700 }),
    ended: fc.double({ min: 0, max: 1, noNaN: true }),
    oldestFirst: fc.boolean(),
  }),
  { maxLength: 12 },
);

test('the table equals a map, by ascending id, however late some streams end', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const table = new StreamTable<Stream>();
      const map = new Map<number, Stream>();
      let id = -1;
      for (const { opened, ended, oldestFirst } of list) {
        for (let count = 0; count < opened; count++) {
          id += 2;
          const stream = { outgoing: { id } };
          table.add(stream);
          map.set(id, stream);
        }
        const open = oldestFirst ? [...map.keys()] : [...map.keys()].toReversed();
        for (const gone of open.slice(0, Math.ceil(open.length * ended))) {
          table.delete(gone);
          table.delete(gone);
          map.delete(gone);
        }
        expect(table.size).toBe(map.size);
        expect([...table.values()]).toEqual([...map.values()]);
        for (const asked of [1, id - 2_048, id, id + 2]) expect(table.get(asked)).toBe(map.get(asked));
      }
    }),
  );
});

test('streams may be deleted during the iteration', () => {
  const table = new StreamTable<Stream>();
  for (let id = 1; id < 4_000; id += 2) table.add({ outgoing: { id } });
  for (const stream of table.values()) table.delete(stream.outgoing.id);
  expect(table.size).toBe(0);
});
