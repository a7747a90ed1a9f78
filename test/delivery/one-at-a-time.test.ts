/** Actions that exclude each other, in one thread and in several. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { makeSharedByThreads } from '../../src/delivery/shared-by-threads.ts';
import { OneAtATime } from '../../src/delivery/troubles/one-at-a-time.ts';

const THREADS = 3;
const ACTIONS = 200;

/** Runs the actions in a thread. Each makes the shared count one larger in two steps, between which other threads could run theirs. */
const CODE = `
  const { workerData } = require('node:worker_threads');
  const { setImmediate: turn } = require('node:timers/promises');
  const { module, shared, count, actions } = workerData;
  // A wait for the turn alone does not keep a thread alive.
  const alive = setInterval(() => undefined, 60_000);
  void import(module).then(async ({ OneAtATime }) => {
    const turns = new OneAtATime(shared);
    await Promise.all(Array.from({ length: actions }, () => turns.run(async () => {
      const before = count[0];
      await turn();
      count[0] = before + 1;
    })));
    clearInterval(alive);
  });`;

test('actions of several threads that share their turn never run at the same time', async () => {
  const { turn: shared } = makeSharedByThreads();
  const count = new Int32Array(new SharedArrayBuffer(4));
  const module = new URL('../../src/delivery/troubles/one-at-a-time.ts', import.meta.url).href;
  const ended = Array.from({ length: THREADS }, async () => {
    const workerData = { module, shared, count, actions: ACTIONS };
    const [code] = await once(new Worker(CODE, { eval: true, workerData }), 'exit');
    return code;
  });
  expect(await Promise.all(ended)).toEqual([0, 0, 0]);
  expect(count[0]).toBe(THREADS * ACTIONS);
});

test('an action that fails leaves its turn to the next one', async () => {
  const turns = new OneAtATime();
  const failed = turns.run(async () => {
    throw new Error('the database is away');
  });
  const next = turns.run(async () => 'done');
  await expect(failed).rejects.toThrow('the database is away');
  expect(await next).toBe('done');
});
