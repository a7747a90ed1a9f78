import { expect, test } from 'vitest';
import { atTurnEnd } from '../../src/scheduling/flush-order.ts';

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('record tasks run before send tasks, whichever was added first, and both after the turn', async () => {
  const done: string[] = [];
  atTurnEnd('send', () => done.push('first push'));
  atTurnEnd('record', () => done.push('outcome'));
  atTurnEnd('send', () => done.push('second push'));
  await Promise.resolve();
  expect(done).toEqual([]);
  await turn();
  expect(done).toEqual(['outcome', 'first push', 'second push']);
});

test('a statement that a record task begins reaches its socket before anything is sent', async () => {
  const done: string[] = [];
  atTurnEnd('send', () => done.push('push'));
  atTurnEnd('record', () => {
    void (async () => {
      for (let hop = 0; hop < 20; hop++) await new Promise<void>((resolve) => process.nextTick(resolve));
      done.push('outcome');
    })();
  });
  await turn();
  expect(done).toEqual(['outcome', 'push']);
});

test('tasks added by a send task are sent in the same turn, and recorded in the next', async () => {
  const done: string[] = [];
  atTurnEnd('send', () => {
    atTurnEnd('send', () => done.push('push'));
    atTurnEnd('record', () => done.push('outcome'));
  });
  await turn();
  expect(done).toEqual(['push']);
  await turn();
  expect(done).toEqual(['push', 'outcome']);
});
