import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SharedRuns, type SharedRunsOptions } from '../../src/scheduling/shared-runs.ts';

/** Runs that wait for the test, and the items of each. */
function heldRuns({
  itemsMax = 10,
  runsMax = 1,
  everyMs = 0,
  ...options
}: Partial<SharedRunsOptions<number, string>> = {}) {
  const runs: { items: readonly number[]; gate: PromiseWithResolvers<readonly string[]> }[] = [];
  const shared = new SharedRuns<number, string>({
    itemsMax,
    runsMax,
    everyMs,
    ...options,
    run: async (items) => {
      const gate = Promise.withResolvers<readonly string[]>();
      runs.push({ items, gate });
      return gate.promise;
    },
  });
  /** Ends a run, and waits until the next has begun. */
  const finish = async (index: number): Promise<void> => {
    const run = runs[index];
    run?.gate.resolve(run.items.map((item) => `result of ${item}`));
    await turn();
    await turn();
  };
  const results: Promise<string>[] = [];
  /** Adds items in one turn. */
  const add = async (...items: number[]): Promise<void> => {
    results.push(...items.map(async (item) => shared.add(item)));
    await turn();
  };
  return { shared, runs, finish, add, results, items: () => runs.map((run) => run.items) };
}

async function turn(): Promise<void> {
  await new Promise(setImmediate);
}

function useFakeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('shared runs', () => {
  test('items that are added in one turn run together, and each gets its own result', async () => {
    const { items, finish, add, results } = heldRuns();
    await add(1, 2, 3);
    expect(items()).toEqual([[1, 2, 3]]);
    await finish(0);
    expect(await Promise.all(results)).toEqual(['result of 1', 'result of 2', 'result of 3']);
  });

  test('items gather while enough runs are in progress, up to the limit of a run', async () => {
    const { items, finish, add, results } = heldRuns({ itemsMax: 2, runsMax: 2 });
    await add(1, 2, 3, 4, 5, 6, 7);
    expect(items()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    await finish(1);
    expect(items().slice(2)).toEqual([[5, 6]]);
    for (const run of [0, 2, 3]) await finish(run);
    expect(await Promise.all(results)).toHaveLength(7);
  });

  test('a run starts while another is in progress only if enough items wait, and not too many', async () => {
    const { items, finish, add, results } = heldRuns({ runsMax: 2, overlap: { min: 3, max: 4 } });
    await add(1);
    await add(2, 3);
    expect(items()).toEqual([[1]]);
    await add(4);
    expect(items().slice(1)).toEqual([[2, 3, 4]]);
    await add(5, 6, 7, 8); // two at once, and no more
    expect(items()).toHaveLength(2);
    await finish(0);
    expect(items().slice(2)).toEqual([[5, 6, 7, 8]]);
    await add(9);
    await finish(1);
    expect(items()).toHaveLength(3);
    await finish(2); // nothing runs any more
    expect(items().slice(3)).toEqual([[9]]);
    await add(10, 11, 12, 13, 14); // too many
    expect(items()).toHaveLength(4);
    await finish(3);
    expect(items().slice(4)).toEqual([[10, 11, 12, 13, 14]]);
    await finish(4);
    expect(await Promise.all(results)).toHaveLength(14);
  });

  test('the error of a run goes to its items only, and later runs go on', async () => {
    const { shared, runs, finish } = heldRuns({ itemsMax: 1 });
    const broken = shared.add(1);
    const whole = shared.add(2);
    await turn();
    runs[0]?.gate.reject(new Error('the run failed'));
    await expect(broken).rejects.toThrow('the run failed');
    await turn();
    await finish(1);
    expect(await whole).toBe('result of 2');
  });

  test('items run alone if one of them is at fault, while the next run starts', async () => {
    const { shared, runs, items, finish } = heldRuns({
      itemsMax: 3,
      isFaultOfItem: (error) => error instanceof TypeError,
    });
    const results = Promise.allSettled([1, 2, 3, 4].map(async (item) => shared.add(item)));
    await turn();
    runs[0]?.gate.reject(new TypeError('an item is at fault'));
    await turn();
    await turn();
    expect(items().slice(1)).toEqual([[1], [2], [3], [4]]);
    runs[2]?.gate.reject(new TypeError('this item is at fault'));
    for (const index of [1, 3, 4]) await finish(index);
    expect((await results).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(runs).toHaveLength(5);
  });

  test('the error of an outage goes to the items that wait, and later items run', async () => {
    const { shared, runs, finish } = heldRuns({ itemsMax: 1, isOutage: () => true });
    const results = Promise.allSettled([1, 2, 3].map(async (item) => shared.add(item)));
    await turn();
    runs[0]?.gate.reject(new Error('away'));
    expect((await results).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect(runs).toHaveLength(1);
    const later = shared.add(4);
    await turn();
    await finish(1);
    expect(await later).toBe('result of 4');
  });

  test('the next run starts when the last one has ended, or is slow', async () => {
    useFakeTime();
    const { items, finish, add, results } = heldRuns({ itemsMax: 2, runsMax: 3, slowMs: 50 });
    await add(1, 2, 3, 4, 5);
    expect(items()).toEqual([[1, 2]]);
    await finish(0);
    expect(items().slice(1)).toEqual([[3, 4]]); // 5 waits for it
    await vi.advanceTimersByTimeAsync(49);
    expect(items()).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    await turn();
    expect(items().slice(2)).toEqual([[5]]);
    await add(6, 7);
    await vi.advanceTimersByTimeAsync(50);
    await add(8);
    await vi.advanceTimersByTimeAsync(500);
    await turn();
    expect(items().slice(3)).toEqual([[6, 7]]); // three at once, and no more
    for (const run of [1, 2, 3, 4]) await finish(run);
    expect(await Promise.all(results)).toHaveLength(8);
  });

  test('a run starts at once after a quiet time, and the next one not before its time', async () => {
    useFakeTime();
    const { items, finish, add, results } = heldRuns({ everyMs: 10 });
    await add(1);
    expect(items()).toHaveLength(1);
    await finish(0);
    await add(2, 3);
    expect(items()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10);
    expect(items().slice(1)).toEqual([[2, 3]]);
    await finish(1);
    expect(await Promise.all(results)).toHaveLength(3);
  });

  test('a run waits only for as many items as one of the last runs had, and no longer than enough', async () => {
    useFakeTime();
    let isBusy = true;
    const { runs, finish, add, results } = heldRuns({ everyMs: () => (isBusy ? 10 : 0), enough: 3 });
    const end = async (): Promise<void> => finish(runs.length - 1);
    for (const item of [1, 2, 3]) {
      await add(item); // one after another: none waits
      expect(runs).toHaveLength(item);
      await end();
    }
    isBusy = false;
    await add(4, 5);
    await end();
    isBusy = true;
    await add(6);
    expect(runs).toHaveLength(4);
    await add(7); // as many as 4 and 5
    expect(runs[4]?.items).toEqual([6, 7]);
    await end();
    await add(8);
    await vi.advanceTimersByTimeAsync(9);
    expect(runs).toHaveLength(5);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs[5]?.items).toEqual([8]);
    await add(9, 10, 11, 12);
    await end();
    await end();
    await add(13);
    expect(runs).toHaveLength(7);
    await add(14, 15); // enough, though an earlier run had four
    expect(runs[7]?.items).toEqual([13, 14, 15]);
    await end();
    expect(await Promise.all(results)).toHaveLength(15);
  });
});
