import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findOutcome,
  type Outcome,
  outcomeKinds,
  packOutcomes,
  unpackOutcomes,
} from '../../src/delivery/outcome.ts';

const BASE_MS = Date.UTC(2026, 10, 20);

const outcome = fc.record({
  kind: fc.constantFrom(...outcomeKinds),
  reason: fc.option(fc.constantFrom('BadDeviceToken', 'UNREGISTERED', 'grüße "x"'), { nil: null }),
  atMs: fc.integer({ min: BASE_MS, max: BASE_MS + 86_400_000 }),
});
const outcomes = fc
  .array(fc.tuple(fc.uuid(), outcome), { maxLength: 60 })
  .map((entries) => new Map<string, Outcome>(entries));

test('what is packed comes out again, device by device', () => {
  fc.assert(
    fc.property(outcomes, (given) => {
      const packed = packOutcomes(given);
      expect(unpackOutcomes(packed)).toEqual(given);
      for (const [id, expected] of given) expect(findOutcome(packed, id)).toEqual(expected);
    }),
  );
});

test('a device that is not in the slice has no outcome', () => {
  fc.assert(
    fc.property(outcomes, fc.uuid(), (given, stranger) => {
      fc.pre(!given.has(stranger));
      expect(findOutcome(packOutcomes(given), stranger)).toBeUndefined();
    }),
  );
});

test('a slice of 1,000 devices takes 23 bytes a device at most', () => {
  const slice = new Map<string, Outcome>();
  for (let index = 0; index < 1_000; index++) {
    slice.set(crypto.randomUUID(), { kind: 'accepted', reason: null, atMs: BASE_MS + index });
  }
  expect(packOutcomes(slice).length).toBeLessThan(23_000);
});

test('more reasons than a byte can number are told as "other", and no outcome is lost', () => {
  const slice = new Map<string, Outcome>();
  for (let index = 0; index < 300; index++) {
    slice.set(crypto.randomUUID(), { kind: 'rejected', reason: `reason ${index}`, atMs: BASE_MS });
  }
  const unpacked = unpackOutcomes(packOutcomes(slice));
  expect(unpacked.size).toBe(300);
  expect([...unpacked.values()].filter(({ reason }) => reason === 'other')).toHaveLength(46);
});
