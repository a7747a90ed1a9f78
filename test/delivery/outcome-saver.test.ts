import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { recordAll } from '../../src/delivery/outcomes/record-all.ts';
import { observeNothing } from '../../src/observe.ts';
import { OutcomeSaver, WORTH_SAVING } from '../../src/delivery/outcomes/outcome-saver.ts';
import type { SaveResult, SlicePart } from '../../src/delivery/outcomes/slice-outcomes.ts';
import { OutcomesNotSaved } from '../../src/delivery/outcomes/store.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import type { MatchingDevice } from '../../src/targeting/matching-devices.ts';
import { leasedSlice } from '../support/outcomes.ts';
import { PATIENCE } from '../support/patience.ts';
import { tokenKey } from '../support/token-keys.ts';

/** A statement that is in progress until the test ends it. */
interface Statement {
  parts: readonly SlicePart[];
  end: (results: SaveResult[]) => void;
  fail: (error: Error) => void;
}

const DONE = { state: 'done' } as const;

function open() {
  const statements: Statement[] = [];
  const ends: SlicePart[] = [];
  const unsaved = new UnsavedOutcomes();
  const store = {
    saveParts: async (parts: readonly SlicePart[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly SaveResult[]>();
      statements.push({ parts, end: resolve, fail: reject });
      return promise;
    },
    saveEnd: async (end: SlicePart) => {
      ends.push(end);
      return 'sending' as const;
    },
  };
  const saver = new OutcomeSaver(store, unsaved);
  /** Opens the outcomes of a slice. */
  const join = (notificationId: string, number: number) => {
    const outcomes = saver.open(leasedSlice({ notificationId, number }), tokenKey);
    return {
      outcomes,
      record: (count: number) => {
        const first = outcomes.add(Array.from({ length: count }, () => ({ id: randomUUID() })));
        for (let row = first; row < first + count; row++) saver.record(outcomes, row, 'accepted', null, 0);
      },
      saveNow: async () => saver.saveNow(outcomes),
      end: async () => saver.end(outcomes, DONE),
    };
  };
  return { join, statements, ends, unsaved };
}

/** Slice number, part number and outcomes of each part. */
function partsOf(statement: Statement | undefined): number[][] | undefined {
  return statement?.parts.map(({ slice, part, counts }) => [slice.number, part, counts.accepted]);
}

/** Resolves when the turn of the event loop is over, with everything that needs nothing from the test. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('one statement at the end of a turn saves the new outcomes of all slices of a notification', async () => {
  const { join, statements } = open();
  const id = randomUUID();
  const [first, second] = [join(id, 1), join(id, 2)];
  first.record(WORTH_SAVING - 50);
  second.record(50);
  expect(statements).toEqual([]);
  await turn();
  expect(statements.map(partsOf)).toEqual([
    [
      [1, 0, WORTH_SAVING - 50],
      [2, 0, 50],
    ],
  ]);
  statements[0]?.end(['sending', 'sending']);
  await turn();
  expect([first.outcomes.over.aborted, second.outcomes.over.aborted]).toEqual([false, false]);
});

test('a few outcomes wait until all notifications together have enough for a statement', async () => {
  const { join, statements } = open();
  const [first, second] = [join(randomUUID(), 1), join(randomUUID(), 2)];
  first.record(WORTH_SAVING - 1);
  await turn();
  expect(statements).toEqual([]);
  second.record(1);
  await turn();
  expect(statements.map(partsOf)).toEqual([[[1, 0, WORTH_SAVING - 1]], [[2, 0, 1]]]);
});

test('a notification has at most three unanswered statements, and the next one saves everything recorded since', async () => {
  const { join, statements } = open();
  const slice = join(randomUUID(), 1);
  for (let turns = 0; turns < 5; turns++) {
    slice.record(200);
    await turn();
  }
  expect(statements.map(partsOf)).toEqual([[[1, 0, 200]], [[1, 1, 200]], [[1, 2, 200]]]);
  statements[1]?.end(['sending']);
  await turn();
  await turn();
  expect(partsOf(statements[3])).toEqual([[1, 3, 400]]);
  expect(slice.outcomes.over.aborted).toBe(false);
});

test('a notification does not wait for the statements of another', async () => {
  const { join, statements } = open();
  const busy = join(randomUUID(), 1);
  for (let turns = 0; turns < 4; turns++) {
    busy.record(200);
    await turn();
  }
  join(randomUUID(), 2).record(200);
  await turn();
  expect(partsOf(statements.at(-1))).toEqual([[2, 0, 200]]);
});

test('saveNow saves even a few outcomes, and makes no statement where there are none', async () => {
  const { join, statements } = open();
  const slice = join(randomUUID(), 1);
  slice.record(3);
  const saved = slice.saveNow();
  await turn();
  expect(statements.map(partsOf)).toEqual([[[1, 0, 3]]]);
  statements[0]?.end(['sending']);
  await saved;
  await slice.saveNow();
  expect(statements).toHaveLength(1);
});

test('the end of a slice waits for its unanswered statements, and no later statement saves parts of the slice', async () => {
  const { join, statements, ends, unsaved } = open();
  const id = randomUUID();
  const [first, second] = [join(id, 1), join(id, 2)];
  for (let turns = 0; turns < 2; turns++) {
    first.record(200);
    await turn();
  }
  first.record(30);
  const ending = first.end();
  second.record(200);
  statements[1]?.end(['sending']);
  await turn();
  expect(ends).toEqual([]);
  statements[0]?.end(['sending']);
  await ending;
  expect(ends).toMatchObject([{ slice: { number: 1 }, counts: { accepted: 30 } }]);
  expect(statements.map(partsOf)).toEqual([[[1, 0, 200]], [[1, 1, 200]], [[2, 0, 200]]]);
  expect(unsaved.count).toBe(0);
});

test('a lost slice begins no more pushes and is saved no more; the other slices go on', async () => {
  const { join, statements, ends, unsaved } = open();
  const id = randomUUID();
  const [first, second] = [join(id, 1), join(id, 2)];
  first.record(100);
  second.record(100);
  await turn();
  statements[0]?.end(['lost', 'sending']);
  await turn();
  expect([first.outcomes.over.aborted, second.outcomes.over.aborted]).toEqual([true, false]);
  first.record(500);
  expect(unsaved.count).toBe(0);
  second.record(200);
  await turn();
  expect(partsOf(statements[1])).toEqual([[2, 1, 200]]);
  statements[1]?.end(['sending']);
  await first.end();
  expect(ends).toEqual([]);
});

test('a failed statement fails the slices in it, and none that joined later', async () => {
  const { join, statements } = open();
  const id = randomUUID();
  const [first, second] = [join(id, 1), join(id, 2)];
  first.record(200);
  await turn();
  second.record(200);
  statements[0]?.fail(new Error('the database is away'));
  await turn();
  expect([first.outcomes.over.aborted, second.outcomes.over.aborted]).toEqual([true, false]);
  expect(partsOf(statements[1])).toEqual([[2, 0, 200]]);
  statements[1]?.end(['sending']);
  await expect(first.end()).rejects.toThrow('the database is away');
});

test('outcomes in a statement that is not answered count as unsaved again, until it is', async () => {
  const { join, statements, unsaved } = open();
  const slice = join(randomUUID(), 1);
  slice.record(200);
  await turn();
  expect([unsaved.count, unsaved.waiting]).toEqual([0, 0]);
  await vi.waitFor(() => expect(unsaved.count).toBe(200), PATIENCE);
  slice.record(30);
  expect([unsaved.count, unsaved.waiting]).toEqual([230, 30]);
  statements[0]?.end(['sending']);
  await turn();
  expect([unsaved.count, unsaved.waiting]).toEqual([30, 30]);
  await slice.end();
  expect(unsaved.count).toBe(0);
});

test('a slice can join a notification whose earlier slices have all ended', async () => {
  const { join, statements } = open();
  const id = randomUUID();
  await join(id, 1).end();
  join(id, 2).record(200);
  await turn();
  expect(partsOf(statements[0])).toEqual([[2, 0, 200]]);
});

test('a statement for several slices that Postgres refuses is repeated for each, so that one slice fails alone', async () => {
  const { join, statements } = open();
  const [bad, good] = [join('n', 1), join('n', 2)];
  for (const slice of [bad, good]) slice.record(WORTH_SAVING);
  await turn();
  statements[0]?.fail(new OutcomesNotSaved('no'));
  await turn();
  expect(statements.slice(1).map(partsOf)).toEqual([[[1, 0, WORTH_SAVING]], [[2, 0, WORTH_SAVING]]]);
  statements[1]?.fail(new OutcomesNotSaved('no'));
  statements[2]?.end(['sending']);
  await turn();
  expect(bad.outcomes.failure).toBeInstanceOf(OutcomesNotSaved);
  expect([good.outcomes.failure, good.outcomes.isOver]).toEqual([undefined, false]);
});

test('outcomes recorded before a page could not be read count as unsaved no more', async () => {
  const { join, unsaved } = open();
  const { outcomes } = join(randomUUID(), 0);
  const away = new Error('the database is away');
  async function* pages() {
    await turn();
    yield Array.from({ length: 3 }, () => matchingDevice());
    expect(unsaved.count).toBe(3);
    throw away;
  }
  const asDropped = { outcome: 'dropped', reason: null } as const;
  const recording = recordAll(outcomes, pages(), asDropped, { clock: systemClock, observe: observeNothing });
  await expect(recording).rejects.toBe(away);
  expect(unsaved.count).toBe(0);
});

function matchingDevice(): MatchingDevice {
  const columns = {
    push_token: null,
    push_token_type: 'token',
    subscription_keys: null,
    development: false,
  } as const;
  return { id: randomUUID(), platform: 'Android', ...columns };
}
