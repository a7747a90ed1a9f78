import { describe, expect, test } from 'vitest';
import { makeEventLoopShare } from '../../../src/devices/import/event-loop-share.ts';

/** An event loop by hand: its clock, and what is to run in its next turn. */
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
    /** Ends the turn and begins another; what that lets on has run once it resolves. */
    turn: async () => {
      const due = next;
      next = [];
      for (const run of due) run();
      await Promise.resolve();
    },
    isScheduled: () => next.length > 0,
  };
}

describe('the turns of imports', () => {
  test('leave 2 ms of a turn to reading, and the rest of it to others', async () => {
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

  test('are shared by all that read: one is let on a turn, the first to ask first', async () => {
    const { turns, pass, turn } = openLoop();
    expect(turns.whenFree()).toBeUndefined();
    pass(5);
    const letOn: string[] = [];
    for (const name of ['a', 'b', 'c']) void turns.whenFree()?.then(() => letOn.push(name));
    await turn();
    expect(letOn).toEqual(['a']);
    await turn();
    await turn();
    expect(letOn).toEqual(['a', 'b', 'c']);
  });

  test('ask for no more turns once nobody reads', async () => {
    const { turns, turn, isScheduled } = openLoop();
    void turns.whenFree();
    expect(isScheduled()).toBe(true);
    await turn();
    expect(isScheduled()).toBe(false);
  });
});
