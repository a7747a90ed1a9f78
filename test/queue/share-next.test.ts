import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { shareNext } from '../../src/queue/share-next.ts';

/** An action whose runs end when the test says so. */
function gated() {
  const runs: PromiseWithResolvers<number>[] = [];
  const action = async (): Promise<number> => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return run.promise;
  };
  return { runs, action };
}

it('calls during a run share one more, which starts when it has ended, even with an error', async () => {
  const { runs, action } = gated();
  const call = shareNext(action, async () => undefined);
  const first = call();
  const others = [call(), call(), call()];
  await nextTurn();
  expect(runs).toHaveLength(1);
  runs[0]?.reject(new Error('out of luck'));
  await expect(first).rejects.toThrow('out of luck');
  await nextTurn();
  expect(runs).toHaveLength(2);
  runs[1]?.resolve(2);
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
});

it('calls during the pause after a run wait for its end, and need no further call to start', async () => {
  const { runs, action } = gated();
  const pauses: PromiseWithResolvers<void>[] = [];
  const call = shareNext(action, async () => {
    const pause = Promise.withResolvers<void>();
    pauses.push(pause);
    return pause.promise;
  });
  const first = call();
  runs[0]?.resolve(1);
  expect(await first).toBe(1);
  const later = [call(), call()];
  await nextTurn();
  expect(runs).toHaveLength(1);
  pauses[0]?.resolve();
  await nextTurn();
  expect(runs).toHaveLength(2);
  runs[1]?.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2]);
});

it('each call is followed by the start of a run, and no two runs overlap, whatever the moments', async () => {
  const moments = fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(moments, moments, moments, async (callTurns, runTurns, pauseTurns) => {
      let moment = 0;
      let lastStart = 0;
      let running = 0;
      let overlapped = false;
      const call = shareNext(
        async () => {
          lastStart = moment += 1;
          overlapped ||= running > 0;
          running += 1;
          await turns(runTurns[moment % runTurns.length]);
          running -= 1;
        },
        async () => turns(pauseTurns[moment % pauseTurns.length]),
      );
      const calls: Promise<void>[] = [];
      let lastCall = 0;
      for (const before of callTurns) {
        await turns(before);
        lastCall = moment += 1;
        calls.push(call());
      }
      await Promise.all(calls);
      expect(lastStart).toBeGreaterThan(lastCall);
      expect(overlapped).toBe(false);
    }),
  );
});

async function turns(count = 0): Promise<void> {
  for (let left = count; left > 0; left -= 1) await (left % 2 === 0 ? nextTurn() : undefined);
}
