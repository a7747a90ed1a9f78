/** How a batch hands its notifications over: in small steps of the event loop, and not too many at a time. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { bulkShare, makeEventLoopShare } from '../../src/scheduling/event-loop-share.ts';
import { BATCH_MAX, createBatch } from '../../src/notifications/create-batch.ts';
import { type Intake, openIntake } from '../../src/notifications/intake/intake.ts';
import { observeNothing } from '../../src/observe.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const queue = { add: async () => undefined };
const items = Array.from({ length: BATCH_MAX }, (_, index) => ({
  value: { notification: { to: { user_id: `user ${index}` }, payload: { alert: 'Hi' } } },
}));

let appId: string;
beforeEach(async () => {
  appId = (await insertApp(database.db)).id;
});

async function batch(intake: Intake, share = bulkShare): Promise<boolean[]> {
  const deps = { clock: () => new Date(), queue, observe: observeNothing, intake, share };
  return createBatch(
    database.db,
    items,
    { appId, requestId: 'r' },
    deps,
    (_item, outcome) => 'created' in outcome,
  );
}

function open(): Intake {
  return openIntake({ db: database.db, queue, clock: () => new Date(), observe: observeNothing });
}

describe('a batch', () => {
  test('a batch uses 2 ms of each turn of the event loop', async () => {
    let nowMs = 0;
    let turns = 0;
    // On this clock an item takes 0.1 ms, so a turn has time for twenty.
    const share = makeEventLoopShare(
      () => (nowMs += 0.1),
      (run) =>
        setImmediate(() => {
          turns += 1;
          run();
        }),
    );
    const created = await batch(open(), share);
    expect(created.filter(Boolean)).toHaveLength(BATCH_MAX);
    expect(turns).toBeGreaterThan(BATCH_MAX / 25);
  });

  test('a batch has at most 400 notifications in progress, together with all others', async () => {
    const intake = open();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let inProgress = 0;
    let most = 0;
    const holding: Intake = {
      batchLimit: intake.batchLimit,
      store: async (line) => {
        inProgress += 1;
        most = Math.max(most, inProgress);
        await released;
        return intake.store(line).finally(() => (inProgress -= 1));
      },
    };
    const batches = [batch(holding), batch(holding)];
    await vi.waitFor(() => expect(inProgress).toBe(400), { timeout: 30_000 });
    release();
    const created = (await Promise.all(batches)).flat();
    expect(created.filter(Boolean)).toHaveLength(2 * BATCH_MAX);
    expect(most).toBe(400);
  });
});
