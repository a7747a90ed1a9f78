import { describe, expect, test } from 'vitest';
import { makeEventLoopShare } from '../../src/scheduling/event-loop-share.ts';

/** A fake event loop: its clock, and the functions that run in its next turn. */
function openLoop() {
  let nowMs = 0;
  let next: (() => void)[] = [];
  const turns = makeEventLoopShare(
    () => nowMs,
    (run) => next.push(run),
  );
  return {
    turns,
    pass: (ms: number) => (nowMs += ms),
    /** Ends the turn and begins another; resolves once the work of that turn has run. */
    turn: async () => {
      const due = next;
      next = [];
      for (const run of due) run();
      await Promise.resolve();
    },
    isScheduled: () => next.length > 0,
  };
}

describe('the share of calls with many lines', () => {
  test('calls with many lines have 2 ms of each turn of the event loop', async () => {
    const { turns, pass, turn } = openLoop();
    const read: number[] = [];
    const reading = (async () => {
      for (let line = 1; line <= 5; line++) {
        const free = turns.whenFree();
        if (free !== undefined) await free;
        read.push(line);
        pass(1);
      }
    })();
    const readByTurn = [read.length];
    for (let index = 1; index < 3; index++) {
      await turn();
      readByTurn.push(read.length);
    }
    await reading;
    expect(readByTurn).toEqual([2, 4, 5]);
  });

  test('the share of the event loop is given to waiting calls in the order in which they asked', async () => {
    const { turns, pass, turn } = openLoop();
    expect(turns.whenFree()).toBeUndefined();
    pass(5);
    const resumed: string[] = [];
    for (const name of ['a', 'b', 'c']) void turns.whenFree()?.then(() => resumed.push(name));
    await turn();
    expect(resumed).toEqual(['a']);
    await turn();
    await turn();
    expect(resumed).toEqual(['a', 'b', 'c']);
  });

  test('no more turns are scheduled once no call works', async () => {
    const { turns, turn, isScheduled } = openLoop();
    void turns.whenFree();
    expect(isScheduled()).toBe(true);
    await turn();
    expect(isScheduled()).toBe(false);
  });
});
