import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { NotificationState } from '../../src/db/tables.ts';
import { type NumberedPart, Progress, type StoredParts } from '../../src/delivery/progress.ts';
import type { SlicePart } from '../../src/delivery/record-slice.ts';
import type { LeasedSlice } from '../../src/delivery/slice-store.ts';

const appId = randomUUID();
const NO_COUNTS = { accepted: 0, rejected: 0, unregistered: 0, no_token: 0, ambiguous: 0 };

/** A statement that is under way until the test ends it. */
interface Statement {
  parts: readonly NumberedPart[];
  end: (stored: StoredParts) => void;
  fail: (error: Error) => void;
}

function open() {
  const statements: Statement[] = [];
  const progress = new Progress(async (parts) => {
    const { promise, resolve, reject } = Promise.withResolvers<StoredParts>();
    statements.push({ parts, end: resolve, fail: reject });
    return promise;
  });
  return { progress, statements };
}

/** A slice that takes part, of which the test says how many outcomes come. */
class Slice {
  readonly #joined: ReturnType<Progress['join']>;
  readonly heard: (NotificationState | 'lost' | 'failed')[] = [];
  unstored = 0;

  constructor(progress: Progress, notificationId: string, number: number) {
    const origin = { requestId: null, traceparent: null };
    const range = { firstId: randomUUID(), lastId: randomUUID() };
    const slice: LeasedSlice = { appId, notificationId, number, attempt: 1, origin, ...range, earlier: [] };
    this.#joined = progress.join(slice, this);
  }

  takePart(): SlicePart {
    const counts = { ...NO_COUNTS, accepted: this.unstored };
    this.unstored = 0;
    return { outcomes: Buffer.alloc(0), counts, deadTokens: [] };
  }

  partStored(state: NotificationState | 'lost'): void {
    this.heard.push(state);
  }

  partFailed(): void {
    this.heard.push('failed');
  }

  come(outcomes: number): void {
    for (let count = 0; count < outcomes; count++) {
      this.unstored += 1;
      this.#joined.outcomeCame(this);
    }
  }

  async leave(): Promise<void> {
    return this.#joined.leave(this);
  }

  async catchUp(): Promise<void> {
    return this.#joined.catchUp();
  }
}

/** Of each part: its slice, its number, how many outcomes it holds. */
function told(statement: Statement | undefined): number[][] | undefined {
  return statement?.parts.map(({ slice, part, counts }) => [slice.number, part, counts.accepted]);
}

const allHeld = (count: number): StoredParts => ({ state: 'sending', held: new Set(Array(count).keys()) });

/** Whatever could happen by itself has happened. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('one statement at a time takes what has come to all slices of a notification since the last', async () => {
  const { progress, statements } = open();
  const id = randomUUID();
  const [first, second] = [new Slice(progress, id, 1), new Slice(progress, id, 2)];
  first.come(150);
  expect(statements).toEqual([]);
  second.come(50);
  expect(statements.map(told)).toEqual([
    [
      [1, 0, 150],
      [2, 0, 50],
    ],
  ]);
  second.come(500);
  expect(statements).toHaveLength(1);
  statements[0]?.end(allHeld(2));
  await turn();
  expect(told(statements[1])).toEqual([[2, 1, 500]]);
  expect([first.heard, second.heard]).toEqual([['sending'], ['sending']]);
});

test('notifications do not wait for one another', () => {
  const { progress, statements } = open();
  for (const number of [1, 2]) new Slice(progress, randomUUID(), number).come(200);
  expect(statements.map(told)).toEqual([[[1, 0, 200]], [[2, 0, 200]]]);
});

test('a little is stored before a wait, and when it is all there is', async () => {
  const { progress, statements } = open();
  const slice = new Slice(progress, randomUUID(), 1);
  slice.come(3);
  const caughtUp = slice.catchUp();
  await turn();
  expect(statements.map(told)).toEqual([[[1, 0, 3]]]);
  statements[0]?.end(allHeld(1));
  await caughtUp;
  await slice.catchUp();
  expect(statements).toHaveLength(1);
});

test('a slice that leaves is in no later statement, and has left when the one under way is through', async () => {
  const { progress, statements } = open();
  const id = randomUUID();
  const [first, second] = [new Slice(progress, id, 1), new Slice(progress, id, 2)];
  first.come(200);
  first.come(30);
  let hasLeft = false;
  const leaving = first.leave().then(() => (hasLeft = true));
  second.come(200);
  await turn();
  expect(hasLeft).toBe(false);
  statements[0]?.end(allHeld(1));
  await leaving;
  expect(statements.map(told)).toEqual([[[1, 0, 200]], [[2, 0, 200]]]);
});

test('a slice that is lost is told so and stored no more; the others go on', async () => {
  const { progress, statements } = open();
  const id = randomUUID();
  const [first, second] = [new Slice(progress, id, 1), new Slice(progress, id, 2)];
  first.come(100);
  second.come(100);
  statements[0]?.end({ state: 'sending', held: new Set([1]) });
  await turn();
  expect([first.heard, second.heard]).toEqual([['lost'], ['sending']]);
  first.come(500);
  second.come(200);
  expect(told(statements[1])).toEqual([[2, 1, 200]]);
});

test('a statement that fails fails the slices in it and none that came since', async () => {
  const { progress, statements } = open();
  const id = randomUUID();
  const [first, second] = [new Slice(progress, id, 1), new Slice(progress, id, 2)];
  first.come(200);
  second.come(200);
  statements[0]?.fail(new Error('the database is away'));
  await turn();
  expect([first.heard, second.heard]).toEqual([['failed'], []]);
  expect(told(statements[1])).toEqual([[2, 0, 200]]);
});

test('a notification whose slices have all left is begun anew by the next', async () => {
  const { progress, statements } = open();
  const id = randomUUID();
  const first = new Slice(progress, id, 1);
  await first.leave();
  new Slice(progress, id, 2).come(200);
  expect(told(statements[0])).toEqual([[2, 0, 200]]);
});
