import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { NotificationState } from '../../src/db/tables.ts';
import {
  type NumberedPart,
  Progress,
  type StoredParts,
  WORTH_STORING,
} from '../../src/delivery/outcomes/batch.ts';
import type { SlicePart } from '../../src/delivery/outcomes/recorder.ts';
import type { LeasedSlice } from '../../src/delivery/slice-store.ts';
import { UnrecordedOutcomes } from '../../src/gateways/in-flight-budget.ts';

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
  const unrecorded = new UnrecordedOutcomes();
  const progress = new Progress(async (parts) => {
    const { promise, resolve, reject } = Promise.withResolvers<StoredParts>();
    statements.push({ parts, end: resolve, fail: reject });
    return promise;
  }, unrecorded);
  /** Takes part in a notification. */
  const join = (notificationId: string, number: number) =>
    new Slice({ progress, unrecorded, notificationId, number });
  return { join, statements };
}

interface SliceOptions {
  progress: Progress;
  unrecorded: UnrecordedOutcomes;
  notificationId: string;
  number: number;
}

/** A slice that takes part, of which the test says how many outcomes come. */
class Slice {
  readonly #joined: ReturnType<Progress['join']>;
  readonly #unrecorded: UnrecordedOutcomes;
  readonly heard: (NotificationState | 'lost' | 'failed')[] = [];
  unstored = 0;

  constructor({ progress, unrecorded, notificationId, number }: SliceOptions) {
    this.#unrecorded = unrecorded;
    const origin = { requestId: null, traceparent: null };
    const range = { firstId: randomUUID(), lastId: randomUUID() };
    const slice: LeasedSlice = { appId, notificationId, number, attempt: 1, origin, ...range, earlier: [] };
    this.#joined = progress.join(slice, this);
  }

  takePart(): SlicePart {
    const counts = { ...NO_COUNTS, accepted: this.unstored };
    this.#unrecorded.remove(this.unstored);
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
      this.#unrecorded.add(1);
      this.#joined.outcomeCame();
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

/** The turn of the event loop is over, and whatever could happen by itself has happened. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('at the end of a turn a statement takes what has come to all slices of a notification', async () => {
  const { join, statements } = open();
  const id = randomUUID();
  const [first, second] = [join(id, 1), join(id, 2)];
  first.come(WORTH_STORING - 50);
  second.come(50);
  expect(statements).toEqual([]);
  await turn();
  expect(statements.map(told)).toEqual([
    [
      [1, 0, WORTH_STORING - 50],
      [2, 0, 50],
    ],
  ]);
  statements[0]?.end(allHeld(2));
  await turn();
  expect([first.heard, second.heard]).toEqual([['sending'], ['sending']]);
});

test('a few outcomes wait for more, of whatever notification', async () => {
  const { join, statements } = open();
  const [first, second] = [join(randomUUID(), 1), join(randomUUID(), 2)];
  first.come(WORTH_STORING - 1);
  await turn();
  expect(statements).toEqual([]);
  second.come(1);
  await turn();
  expect(statements.map(told)).toEqual([[[1, 0, WORTH_STORING - 1]], [[2, 0, 1]]]);
});

test('three statements of a notification are under way at most, and the next takes all that has come since', async () => {
  const { join, statements } = open();
  const slice = join(randomUUID(), 1);
  for (let turns = 0; turns < 5; turns++) {
    slice.come(200);
    await turn();
  }
  expect(statements.map(told)).toEqual([[[1, 0, 200]], [[1, 1, 200]], [[1, 2, 200]]]);
  statements[1]?.end(allHeld(1));
  await turn();
  await turn();
  expect(told(statements[3])).toEqual([[1, 3, 400]]);
  expect(slice.heard).toEqual(['sending']);
});

test('notifications do not wait for one another', async () => {
  const { join, statements } = open();
  const busy = join(randomUUID(), 1);
  for (let turns = 0; turns < 4; turns++) {
    busy.come(200);
    await turn();
  }
  join(randomUUID(), 2).come(200);
  await turn();
  expect(told(statements.at(-1))).toEqual([[2, 0, 200]]);
});

test('a little is stored before a wait, and when it is all there is', async () => {
  const { join, statements } = open();
  const slice = join(randomUUID(), 1);
  slice.come(3);
  const caughtUp = slice.catchUp();
  await turn();
  expect(statements.map(told)).toEqual([[[1, 0, 3]]]);
  statements[0]?.end(allHeld(1));
  await caughtUp;
  await slice.catchUp();
  expect(statements).toHaveLength(1);
});

test('a slice that leaves is in no later statement, and has left when those under way are through', async () => {
  const { join, statements } = open();
  const id = randomUUID();
  const [first, second] = [join(id, 1), join(id, 2)];
  for (let turns = 0; turns < 2; turns++) {
    first.come(200);
    await turn();
  }
  first.come(30);
  let hasLeft = false;
  const leaving = first.leave().then(() => (hasLeft = true));
  second.come(200);
  statements[1]?.end(allHeld(1));
  await turn();
  expect(hasLeft).toBe(false);
  statements[0]?.end(allHeld(1));
  await leaving;
  expect(statements.map(told)).toEqual([[[1, 0, 200]], [[1, 1, 200]], [[2, 0, 200]]]);
});

test('a slice that is lost is told so and stored no more; the others go on', async () => {
  const { join, statements } = open();
  const id = randomUUID();
  const [first, second] = [join(id, 1), join(id, 2)];
  first.come(100);
  second.come(100);
  await turn();
  statements[0]?.end({ state: 'sending', held: new Set([1]) });
  await turn();
  expect([first.heard, second.heard]).toEqual([['lost'], ['sending']]);
  first.come(500);
  second.come(200);
  await turn();
  expect(told(statements[1])).toEqual([[2, 1, 200]]);
});

test('a statement that fails fails the slices in it and none that came since', async () => {
  const { join, statements } = open();
  const id = randomUUID();
  const [first, second] = [join(id, 1), join(id, 2)];
  first.come(200);
  await turn();
  second.come(200);
  statements[0]?.fail(new Error('the database is away'));
  await turn();
  expect([first.heard, second.heard]).toEqual([['failed'], []]);
  expect(told(statements[1])).toEqual([[2, 0, 200]]);
});

test('a notification whose slices have all left is begun anew by the next', async () => {
  const { join, statements } = open();
  const id = randomUUID();
  await join(id, 1).leave();
  join(id, 2).come(200);
  await turn();
  expect(told(statements[0])).toEqual([[2, 0, 200]]);
});
