import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { openPauses, openSharedPace, type Pace } from '../../src/delivery/send/pace.ts';
import { endPauses } from '../../src/delivery/send/pace-store.ts';
import { useTestDatabase } from '../support/database.ts';
import { PATIENCE } from '../support/patience.ts';

const database = useTestDatabase();

let nowMs: number;
let project: string;
beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 20, 12);
  project = `fcm:${randomUUID()}`;
});

function openWorker(pushesPerMinute = 60_000): Pace {
  return openSharedPace({ db: database.db, project, pushesPerMinute, clock: () => new Date(nowMs) });
}

async function takeMany(pace: Pace, pushes: number): Promise<number[]> {
  const moments: number[] = [];
  for (let push = 0; push < pushes; push++) moments.push(await pace.take(1));
  return moments;
}

describe('the allowance of a project', () => {
  test('the allowance of a project grants one second’s worth at once, and delays the rest by the excess', async () => {
    const moments = await takeMany(openWorker(), 3_000); // 1,000 a second
    expect(moments.slice(0, 1_000).every((moment) => moment <= nowMs)).toBe(true);
    expect(Math.max(...moments)).toBe(nowMs + 2_000);
  });

  test('the allowance of a project is shared by all workers', async () => {
    const [first, second] = [openWorker(), openWorker()];
    const moments = (await Promise.all([takeMany(first, 1_500), takeMany(second, 1_500)])).flat();
    expect(moments.filter((moment) => moment <= nowMs)).toHaveLength(1_000);
    expect(Math.max(...moments)).toBe(nowMs + 2_000);
  });

  test('the allowance of a project refills with time, up to one second’s worth', async () => {
    const worker = openWorker();
    await takeMany(worker, 1_000);
    nowMs += 3_600_000;
    const moments = await takeMany(worker, 2_000);
    expect(moments.filter((moment) => moment <= nowMs)).toHaveLength(1_000);
  });

  test('the allowance of a project refills from now on after the clock was ahead and is set back', async () => {
    const worker = openWorker();
    nowMs += 7_200_000;
    await takeMany(worker, 1_500);
    worker.pauseUntil(nowMs + 60_000);
    await expect.poll(() => storedPause(), PATIENCE).toBe(nowMs + 60_000);
    nowMs -= 7_200_000;
    await endPauses(database.db, new Date(nowMs)); // as the sweep does
    expect(await worker.take(1)).toBeLessThan(nowMs + 70_000);
    expect(await openWorker().take(1)).toBeLessThan(nowMs + 70_000);
    nowMs += 120_000;
    expect(await worker.take(1)).toBeLessThanOrEqual(nowMs);
  });

  test('the allowance of a project is not granted twice to concurrent draws', async () => {
    const worker = openWorker();
    const moments = await Promise.all(Array.from({ length: 2_000 }, async () => worker.take(1)));
    expect(moments.filter((moment) => moment <= nowMs)).toHaveLength(1_000);
  });

  test('the allowance of a project is drawn a fortieth of a second at a time, or as much as is needed', async () => {
    const worker = openWorker(60 * 40_000);
    await takeMany(worker, 1);
    expect(await storedAllowance()).toBe(40_000 - 1_000);
    await worker.take(3_000); // 999 of it had been drawn
    expect(await storedAllowance()).toBe(40_000 - 3_001);
  });

  test('the allowance of a project loses only the pushes that are sent, even if they are rare', async () => {
    const [seldom, other] = [openWorker(), openWorker()];
    await takeMany(seldom, 1);
    await takeMany(other, 3_000);
    nowMs += 1_001; // the draw for one push has expired for the next
    expect(await seldom.take(1)).toBe(nowMs + 3_000 + 1 + 250 - 1_000 - 1_001);
  });

  test('the allowance of a project lets a push go at the moment it was granted, whatever is granted later', async () => {
    const worker = openWorker();
    const moments = await takeMany(worker, 3_000);
    expect(moments[1_100]).toBe(nowMs + 250);
    nowMs += 250;
    expect(await worker.pausedUntil()).toBeLessThanOrEqual(nowMs);
  });
});

describe('a pause', () => {
  test('a pause stops the worker that ordered it at once, and every other with its next draw', async () => {
    const [reported, other] = [openWorker(), openWorker()];
    await takeMany(reported, 1);
    await takeMany(other, 1);
    reported.pauseUntil(nowMs + 60_000);
    expect(await reported.take(1)).toBe(nowMs + 60_000);
    await expect
      .poll(async () => {
        nowMs += 1_001; // the draw of the other has expired
        return other.take(1);
      }, PATIENCE)
      .toBe(Date.UTC(2026, 10, 20, 12) + 60_000);
  });

  test('a pause also stops pushes that another worker was granted before, within a second', async () => {
    const [reported, other] = [openWorker(), openWorker()];
    await takeMany(reported, 1);
    await takeMany(other, 3_000);
    const untilMs = nowMs + 60_000;
    reported.pauseUntil(untilMs);
    await expect
      .poll(async () => {
        nowMs += 1_001; // what the other has heard is old by now
        return other.pausedUntil();
      }, PATIENCE)
      .toBe(untilMs);
  });

  test('a pause grants nothing while it lasts: draws meanwhile are paced from its end on', async () => {
    const worker = openWorker();
    await takeMany(worker, 1);
    const untilMs = nowMs + 60_000;
    worker.pauseUntil(untilMs);
    await expect.poll(() => storedPause(), PATIENCE).toBe(untilMs);
    nowMs += 1_001;
    const moments = await takeMany(worker, 3_000);
    expect(Math.min(...moments)).toBe(untilMs);
    expect(Math.max(...moments)).toBe(untilMs + 2_000);
    expect(moments.filter((moment) => moment === untilMs)).toHaveLength(1_000);
  });

  test('a pause of a gateway without a quota is not shared with other workers', async () => {
    const pace = openPauses(() => new Date(nowMs));
    expect(await pace.take(1)).toBeLessThanOrEqual(nowMs);
    pace.pauseUntil(nowMs + 5);
    pace.pauseUntil(nowMs + 1);
    expect(await pace.take(1)).toBe(nowMs + 5);
  });
});

async function storedAllowance(): Promise<number> {
  const row = await database.db
    .selectFrom('gateway_paces')
    .select('allowance')
    .where('project', '=', project)
    .executeTakeFirstOrThrow();
  return row.allowance;
}

async function storedPause(): Promise<number | undefined> {
  const row = await database.db
    .selectFrom('gateway_paces')
    .select('paused_until')
    .where('project', '=', project)
    .executeTakeFirstOrThrow();
  return row.paused_until?.getTime();
}
