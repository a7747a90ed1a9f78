import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLedger, type ReceivedPush } from '../src/ledger.ts';

function pushOf(token: string, nid: string | null): ReceivedPush {
  const name = 'projects/p/messages/1';
  const common = { token, nid, headers: {}, body: '', at: new Date(0) };
  return { ...common, gateway: 'fcm', projectId: 'p', name, message: {} };
}

const sent = fc.array(
  fc.record({
    gateway: fc.constantFrom('apns' as const, 'fcm' as const),
    token: fc.constantFrom('a', 'b', 'c'),
    nid: fc.constantFrom('n1', 'n2', null),
  }),
);

test('every push beyond the first to a push token of one notification counts as a duplicate', () => {
  fc.assert(
    fc.property(sent, (pushes) => {
      const ledger = createLedger('counts');
      for (const { gateway, token, nid } of pushes) {
        // A token belongs to one gateway.
        ledger.took(gateway, `${gateway}:${token}`, nid, () => pushOf(token, nid));
      }
      const named = pushes.filter(({ nid }) => nid !== null);
      const distinct = new Set(named.map(({ gateway, token, nid }) => `${gateway} ${token} ${nid}`));
      const { apns, fcm } = ledger.counts();
      expect(apns.duplicates + fcm.duplicates).toBe(named.length - distinct.size);
      expect(apns.accepted + fcm.accepted).toBe(pushes.length);
      for (const nid of ['n1', 'n2']) {
        const times = [...ledger.pushesByToken(nid).values()].reduce((sum, count) => sum + count, 0);
        expect(times).toBe(named.filter((push) => push.nid === nid).length);
      }
    }),
  );
});

test('the ledger keeps the newest pushes, oldest first, up to its limit', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 5 }), (tokens, keep) => {
      const ledger = createLedger(keep);
      for (const token of tokens) ledger.took('fcm', token, null, () => pushOf(token, null));
      expect(ledger.received({}).map(({ token }) => token)).toEqual(tokens.slice(-keep));
    }),
  );
});

describe('with counts only', () => {
  test('the ledger makes no record of a push where it only counts', () => {
    const ledger = createLedger('counts');
    ledger.took('apns', 'a', 'n1', () => {
      throw new Error('a record was made');
    });
    expect(ledger.received({})).toEqual([]);
    expect(ledger.pushesByToken('n1')).toEqual(new Map([['a', 1]]));
  });
});

test('the ledger finds pushes by token, by notification and by both', () => {
  const ledger = createLedger(10);
  const sentPushes = [
    ['a', 'n1'],
    ['a', 'n2'],
    ['b', 'n1'],
  ] as const;
  for (const [token, nid] of sentPushes) ledger.took('fcm', token, nid, () => pushOf(token, nid));
  const found = (query: Parameters<typeof ledger.received>[0]): number => ledger.received(query).length;
  expect(
    [{ token: 'a' }, { nid: 'n1' }, { token: 'a', nid: 'n1' }, { gateway: 'apns' as const }].map(found),
  ).toEqual([2, 2, 1, 0]);
});
