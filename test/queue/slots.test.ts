import { expect, it } from 'vitest';
import { Slots } from '../../src/queue/slots.ts';

const never = new AbortController().signal;

it('a slot is free again once its job has given way or ended, and only once', () => {
  const slots = new Slots(2);
  const first = slots.take();
  slots.take();
  expect(slots.free).toBe(0);
  first.giveWay();
  first.giveWay();
  expect(slots.free).toBe(1);
  first.leave();
  first.leave();
  expect(slots.free).toBe(1);
});

it('the slots of a lane are all taken while three jobs per slot have given way', () => {
  const slots = new Slots(1);
  const jobs = Array.from({ length: 3 }, () => slots.take());
  for (const job of jobs) job.giveWay();
  expect(slots.isFree).toBe(false);
  jobs[0]?.leave();
  expect(slots.free).toBe(1);
});

it('a free slot is given to one waiting job', async () => {
  const slots = new Slots(1);
  const first = slots.take();
  const taken: number[] = [];
  const waiting = [1, 2].map(async (job) => {
    const slot = await slots.takeWhenFree(never);
    taken.push(job);
    return slot;
  });
  first.leave();
  (await waiting[0])?.leave();
  await waiting[1];
  expect(taken).toEqual([1, 2]);
  expect(slots.free).toBe(0);
});

it('a slot is not waited for after an abort', async () => {
  const slots = new Slots(0);
  const stop = new AbortController();
  const waiting = slots.takeWhenFree(stop.signal);
  stop.abort();
  expect(await waiting).toBeUndefined();
  expect(await slots.takeWhenFree(stop.signal)).toBeUndefined();
});
