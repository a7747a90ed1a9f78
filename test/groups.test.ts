import { describe, expect, test } from 'vitest';
import { Groups, type GroupsOptions } from '../src/groups.ts';

/** Runs that wait for the test, and the items of each. */
function heldGroups({ itemsMax = 10, runsMax = 1 }: Partial<GroupsOptions<number, string>> = {}) {
  const runs: { items: readonly number[]; gate: PromiseWithResolvers<readonly string[]> }[] = [];
  const groups = new Groups<number, string>({
    itemsMax,
    runsMax,
    run: async (items) => {
      const gate = Promise.withResolvers<readonly string[]>();
      runs.push({ items, gate });
      return gate.promise;
    },
  });
  const finish = (index: number): void => {
    const run = runs[index];
    run?.gate.resolve(run.items.map((item) => `result of ${item}`));
  };
  return { groups, runs, finish };
}

async function turn(): Promise<void> {
  await new Promise(setImmediate);
}

describe('groups', () => {
  test('run items that are added in one turn together, and give each its own result', async () => {
    const { groups, runs, finish } = heldGroups();
    const results = [1, 2, 3].map(async (item) => groups.add(item));
    await turn();
    expect(runs.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    finish(0);
    expect(await Promise.all(results)).toEqual(['result of 1', 'result of 2', 'result of 3']);
  });

  test('gather items while enough runs are in progress, up to the size of a group', async () => {
    const { groups, runs, finish } = heldGroups({ itemsMax: 2, runsMax: 2 });
    const results = [1, 2, 3, 4, 5, 6, 7].map(async (item) => groups.add(item));
    await turn();
    expect(runs.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(groups.waiting).toBe(3);
    finish(1);
    await turn();
    await turn();
    expect(runs.slice(2).map(({ items }) => items)).toEqual([[5, 6]]);
    finish(0);
    finish(2);
    await turn();
    await turn();
    finish(3);
    expect(await Promise.all(results)).toHaveLength(7);
  });

  test('give the error of a run to its items only, and go on', async () => {
    const { groups, runs, finish } = heldGroups({ itemsMax: 1 });
    const broken = groups.add(1);
    const whole = groups.add(2);
    await turn();
    runs[0]?.gate.reject(new Error('the run failed'));
    await expect(broken).rejects.toThrow('the run failed');
    await turn();
    finish(1);
    expect(await whole).toBe('result of 2');
  });

  test('are idle when every item has its result', async () => {
    const { groups, finish } = heldGroups({ itemsMax: 1 });
    const results = [groups.add(1), groups.add(2)];
    let isIdle = false;
    const idle = groups.idle().then(() => (isIdle = true));
    await turn();
    finish(0);
    await turn();
    await turn();
    expect(isIdle).toBe(false);
    finish(1);
    await idle;
    expect(await Promise.all(results)).toHaveLength(2);
  });
});
