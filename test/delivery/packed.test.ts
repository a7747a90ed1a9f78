import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findOutcome,
  type Outcome,
  outcomeKinds,
  packOutcomes,
  tallyOf,
  unpackOutcomes,
} from '../../src/delivery/outcomes/packed.ts';
import { sliceOutcomes } from '../support/outcomes.ts';

const BASE_MS = Date.UTC(2026, 10, 20);

const anyOutcome = fc.record({
  kind: fc.constantFrom(...outcomeKinds),
  reason: fc.option(fc.constantFrom('BadDeviceToken', 'UNREGISTERED', 'grüße "x"'), { nil: null }),
  atMs: fc.integer({ min: BASE_MS, max: BASE_MS + 86_400_000 }),
});
const outcomes = fc
  .array(fc.tuple(fc.uuid(), anyOutcome), { maxLength: 60 })
  .map((entries) => new Map<string, Outcome>(entries));

test('unpacking and searching return what was packed, device by device', () => {
  fc.assert(
    fc.property(outcomes, (given) => {
      const packed = packOutcomes(given);
      expect(unpackOutcomes(packed)).toEqual(given);
      for (const [id, expected] of given) expect(findOutcome(packed, id)).toEqual(expected);
    }),
  );
});

test('a tally counts what was packed, by outcome and reason', () => {
  fc.assert(
    fc.property(outcomes, (given) => {
      const expected: Record<string, Record<string, number>> = {};
      for (const { kind, reason } of given.values()) {
        const ofKind = (expected[kind] ??= {});
        ofKind[reason ?? ''] = (ofKind[reason ?? ''] ?? 0) + 1;
      }
      expect(tallyOf(packOutcomes(given))).toEqual(expected);
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

test('a packed slice of 1,000 devices takes at most 23 bytes per device', () => {
  const slice = new Map<string, Outcome>();
  for (let index = 0; index < 1_000; index++) {
    slice.set(crypto.randomUUID(), { kind: 'accepted', reason: null, atMs: BASE_MS + index });
  }
  expect(packOutcomes(slice).length).toBeLessThan(23_000);
});

test('reasons beyond the 255 that a byte can number become "other", and no outcome is lost', () => {
  const slice = new Map<string, Outcome>();
  for (let index = 0; index < 300; index++) {
    slice.set(crypto.randomUUID(), { kind: 'rejected', reason: `reason ${index}`, atMs: BASE_MS });
  }
  const unpacked = unpackOutcomes(packOutcomes(slice));
  expect(unpacked.size).toBe(300);
  expect([...unpacked.values()].filter(({ reason }) => reason === 'other')).toHaveLength(46);
});

test('an outcome keeps its variant with its reason, also if the reason becomes "other"', () => {
  const slice = new Map<string, Outcome>();
  const variants = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'hold_out'];
  for (let index = 0; index < 400; index++) {
    const variant = variants[index % 8] ?? '';
    const one: Outcome =
      index < 8
        ? { kind: 'accepted', reason: null, variant, atMs: BASE_MS }
        : { kind: 'rejected', reason: `reason ${index}`, variant, atMs: BASE_MS };
    slice.set(crypto.randomUUID(), one);
  }
  const without = crypto.randomUUID();
  slice.set(without, { kind: 'dropped', reason: 'quiet_hours', atMs: BASE_MS });
  const packed = packOutcomes(slice);
  const unpacked = unpackOutcomes(packed);
  for (const [id, { kind, reason, variant, atMs }] of slice) {
    const found = unpacked.get(id);
    expect(found).toEqual(findOutcome(packed, id));
    expect(found).toMatchObject({ kind, atMs });
    expect(found?.variant).toBe(variant);
    expect([reason, 'other']).toContain(found?.reason ?? null);
  }
  expect(unpacked.get(without)?.reason).toBe('quiet_hours');
  expect(unpackOutcomes(packOutcomes(unpacked))).toEqual(unpacked);
});

test('the outcomes of a slice hold each outcome that was set, in any order and over several pages, and count it', () => {
  fc.assert(
    fc.property(outcomes, fc.nat(60), fc.infiniteStream(fc.boolean()), (given, cut, isSet) => {
      const devices = [...given.keys()].toSorted().map((id) => ({ id }));
      const slice = sliceOutcomes();
      expect(slice.add(devices.slice(0, cut))).toBe(0);
      expect(slice.add(devices.slice(cut))).toBe(Math.min(cut, devices.length));
      const set = new Map([...given].filter(() => isSet.next().value));
      for (const [id, { kind, reason, atMs }] of set) {
        slice.set(
          devices.findIndex((device) => device.id === id),
          kind,
          reason,
          atMs,
        );
      }
      expect(unpackOutcomes(slice.takeEnd().outcomes)).toEqual(set);
      expect(slice.size).toBe(set.size);
      const counts = slice.counts;
      for (const kind of outcomeKinds) {
        expect(counts[kind]).toBe([...set.values()].filter((one) => one.kind === kind).length);
      }
    }),
  );
});

test('each outcome of a slice is in exactly one part, and is found there', () => {
  fc.assert(
    fc.property(outcomes, fc.infiniteStream(fc.boolean()), (given, endsPart) => {
      const ids = [...given.keys()].toSorted();
      const slice = sliceOutcomes();
      slice.add(ids.map((id) => ({ id })));
      const parts: Buffer[] = [];
      for (const [id, { kind, reason, atMs }] of given) {
        slice.set(ids.indexOf(id), kind, reason, atMs);
        if (endsPart.next().value) parts.push(slice.takePart().outcomes);
      }
      parts.push(slice.takePart().outcomes);
      expect(parts.flatMap((part) => [...unpackOutcomes(part).keys()]).toSorted()).toEqual(ids);
      for (const [id, outcome] of given) {
        expect(parts.flatMap((part) => findOutcome(part, id) ?? [])).toEqual([outcome]);
      }
      expect(unpackOutcomes(slice.takeEnd().outcomes)).toEqual(given);
      expect([...sliceOutcomes(parts).pending(ids.map((id) => ({ id })))]).toEqual([]);
    }),
  );
});

test('outcomes of earlier attempts stay, even if their device has left the audience, and are not counted again', () => {
  fc.assert(
    fc.property(outcomes, outcomes, (earlier, later) => {
      const slice = sliceOutcomes([packOutcomes(earlier)]);
      const devices = [...later].sort(byId).map(([id, outcome]) => ({ id, outcome }));
      const pending = slice.pending(devices);
      slice.add(pending);
      for (const [
        row,
        {
          outcome: { kind, reason, atMs },
        },
      ] of pending.entries()) {
        slice.set(row, kind, reason, atMs);
      }
      expect(unpackOutcomes(slice.takeEnd().outcomes)).toEqual(new Map([...later, ...earlier]));
      expect(slice.size).toBe(pending.length);
    }),
  );
});

test('outcomes packed by an earlier release are read', () => {
  // Two devices, packed by the first release: version 1.
  const stored = Buffer.from(FORMER, 'base64');
  expect(unpackOutcomes(stored)).toEqual(formerOutcomes);
  expect(packOutcomes(formerOutcomes).equals(stored)).toBe(true);
});

const formerOutcomes = new Map<string, Outcome>([
  ['00000000-0000-4000-8000-00000000000a', { kind: 'accepted', reason: null, atMs: BASE_MS + 5 }],
  ['ffffffff-ffff-4fff-bfff-ffffffffffff', { kind: 'unregistered', reason: 'Unregistered', atMs: BASE_MS }],
]);
const FORMER =
  'AQAAAAJCeh9kC8AAAAAAABBbIlVucmVnaXN0ZXJlZCJdAAAAAAAAQACAAAAAAAAACv///////0//v/////////8AAgABAAAABQAAAAA=';

function byId([left]: [string, Outcome], [right]: [string, Outcome]): number {
  return left < right ? -1 : 1;
}
