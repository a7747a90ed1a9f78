import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findOutcome,
  type Outcome,
  outcomeKinds,
  unpackOutcomes,
} from '../../src/delivery/outcomes/packed.ts';
import { OutcomeSheet, packOutcomes } from '../../src/delivery/outcomes/slice-outcomes.ts';

const BASE_MS = Date.UTC(2026, 10, 20);

const anyOutcome = fc.record({
  kind: fc.constantFrom(...outcomeKinds),
  reason: fc.option(fc.constantFrom('BadDeviceToken', 'UNREGISTERED', 'grüße "x"'), { nil: null }),
  atMs: fc.integer({ min: BASE_MS, max: BASE_MS + 86_400_000 }),
});
const outcomes = fc
  .array(fc.tuple(fc.uuid(), anyOutcome), { maxLength: 60 })
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

test('a sheet holds what was set, page after page and in any order, and counts it', () => {
  fc.assert(
    fc.property(outcomes, fc.nat(60), fc.infiniteStream(fc.boolean()), (given, cut, isSet) => {
      const devices = [...given.keys()].toSorted().map((id) => ({ id }));
      const sheet = new OutcomeSheet([]);
      expect(sheet.add(devices.slice(0, cut))).toBe(0);
      expect(sheet.add(devices.slice(cut))).toBe(Math.min(cut, devices.length));
      const set = new Map([...given].filter(() => isSet.next().value));
      for (const [id, { kind, reason, atMs }] of set) {
        sheet.set(
          devices.findIndex((device) => device.id === id),
          kind,
          reason,
          atMs,
        );
      }
      expect(unpackOutcomes(sheet.pack())).toEqual(set);
      expect(sheet.settled).toBe(set.size);
      const counts = sheet.counts();
      for (const kind of outcomeKinds) {
        expect(counts[kind]).toBe([...set.values()].filter((one) => one.kind === kind).length);
      }
    }),
  );
});

test('the parts of a sheet hold each outcome once, and can be searched each', () => {
  fc.assert(
    fc.property(outcomes, fc.infiniteStream(fc.boolean()), (given, endsPart) => {
      const ids = [...given.keys()].toSorted();
      const sheet = new OutcomeSheet([]);
      sheet.add(ids.map((id) => ({ id })));
      const parts: Buffer[] = [];
      for (const [id, { kind, reason, atMs }] of given) {
        sheet.set(ids.indexOf(id), kind, reason, atMs);
        if (endsPart.next().value) parts.push(sheet.packPart());
      }
      parts.push(sheet.packPart());
      expect(parts.flatMap((part) => [...unpackOutcomes(part).keys()]).toSorted()).toEqual(ids);
      for (const [id, outcome] of given) {
        expect(parts.flatMap((part) => findOutcome(part, id) ?? [])).toEqual([outcome]);
      }
      expect(unpackOutcomes(sheet.pack())).toEqual(given);
      expect([...new OutcomeSheet(parts).pending(ids.map((id) => ({ id })))]).toEqual([]);
    }),
  );
});

test('what earlier attempts recorded stays, whether its device is still read or not, and counts no more', () => {
  fc.assert(
    fc.property(outcomes, outcomes, (earlier, later) => {
      const sheet = new OutcomeSheet([packOutcomes(earlier)]);
      const devices = [...later].sort(byId).map(([id, outcome]) => ({ id, outcome }));
      const fresh = sheet.pending(devices);
      sheet.add(fresh);
      for (const [
        row,
        {
          outcome: { kind, reason, atMs },
        },
      ] of fresh.entries()) {
        sheet.set(row, kind, reason, atMs);
      }
      expect(unpackOutcomes(sheet.pack())).toEqual(new Map([...later, ...earlier]));
      expect(sheet.settled).toBe(fresh.length);
    }),
  );
});

test('outcomes that a former release stored are read', () => {
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
