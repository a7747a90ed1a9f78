/**
 * Inserts a month of counts for the demo's app, as its workers would have made them: the demo has existed for only a
 * minute.
 */
import path from 'node:path';
import { z } from 'zod';
import { observeNothing } from '../src/observe.ts';
import { readConfig } from '../src/process/config.ts';
import { openResources } from '../src/process/resources.ts';
import type { SampleCall } from './console-sample.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const DEVICES = 1_000;
const ROUNDS_MAX = 120;

/** @param dataDir the DATA_DIR of the demo, which is running */
export async function insertHistory(dataDir: string, now: Date): Promise<void> {
  const resources = await openResources(readConfig({ DATA_DIR: path.join(dataDir, 'demo') }), observeNothing);
  try {
    const { db } = resources;
    const { id } = await db.selectFrom('apps').select('id').executeTakeFirstOrThrow();
    for (let ago = 1; ago < DAYS; ago++) {
      const counts = countsOf(new Date(now.getTime() - ago * DAY_MS), ago);
      await db
        .insertInto('hourly_counts')
        .values({ app_id: id, ...counts })
        .execute();
    }
  } finally {
    await resources.close();
  }
}

const counted = z.object({
  overview: z.object({
    days_counted_at: z.string().nullable(),
    devices: z.object({ counted_at: z.string() }).nullable(),
  }),
});

/** Waits until the workers of the demo have counted its devices, and what it had sent up to a time. */
export async function untilCounted(call: SampleCall, time: Date): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { overview } = counted.parse(await call('GET', '/v6/overview?days=1'));
    const times = [overview.days_counted_at, overview.devices?.counted_at ?? null];
    if (times.every((at) => at !== null && Date.parse(at) >= time.getTime())) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
  }
  throw new Error('the demo was not counted within a minute');
}

/** Fewer pushes on weekends, more at the start of each week, and more devices every day. */
function countsOf(hour: Date, ago: number) {
  const [sunday, monday, saturday] = [0, 1, 6];
  const weekday = hour.getUTCDay();
  const notifications = weekday === sunday || weekday === saturday ? 1 : weekday === monday ? 5 : 3;
  const reached = DEVICES - 9 * ago;
  const wave = Math.sin(ago * 1.7);
  const unregistered = Math.round(notifications * (4 + 2 * wave));
  const rejected = ago === 12 ? 190 : Math.round(notifications * (1 + wave));
  const noToken = notifications * 12;
  const accepted = notifications * reached - unregistered - rejected - noToken;
  return {
    hour: new Date(Math.floor(hour.getTime() / 3_600_000) * 3_600_000),
    notifications,
    devices: notifications * reached,
    accepted,
    rejected,
    unregistered,
    no_token: noToken,
    ambiguous: 0,
    opens: Math.round(accepted * (0.14 + 0.03 * wave)),
  };
}
