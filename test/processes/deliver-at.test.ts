/** `deliver_at` is kept by a server that was up at that time and by one that was down. */
import { beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { expectToStop } from '../support/processes.ts';
import type { SimulatedApp } from '../support/simulated-app.ts';
import { useAlone } from './alone.ts';

const DEVICES = 100;
const timeout = 180_000;

function inMs(ms: number): { deliver_at: string } {
  return { deliver_at: new Date(Date.now() + ms).toISOString() };
}

const alone = useAlone();
let app: SimulatedApp;
beforeAll(async () => {
  ({ app } = await alone.makeApp(DEVICES));
});

const hasBegun = (id: string): boolean => alone.simulator.pushesByToken(id).size > 0;

test(
  'deliver_at is kept by a server that runs at that time, and by one that starts later',
  { timeout },
  async () => {
    const down = alone.start();
    const backend = await alone.backend(down, app);
    const later = await backend.notify('*', inMs(3_600_000));
    const { id: soon } = await backend.notify('*', inMs(2_000));
    const { due_at } = await backend.readNotification(soon);
    await vi.waitFor(() => expect(hasBegun(soon)).toBe(true), { ...PATIENCE, interval: 5 });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(due_at));
    expect(await backend.untilEnded(soon, PATIENCE.timeout)).toMatchObject({
      state: 'sent',
      accepted: DEVICES,
    });

    const { id } = await backend.notify('*', inMs(3_600_000));
    await expectToStop(down);
    // Its time comes now: a stop may take any time.
    await alone.onDatabase(async ({ db }) => {
      const now = new Date();
      await db.updateTable('notifications').set({ due_at: now }).where('id', '=', id).execute();
    });
    expect(hasBegun(id)).toBe(false);

    const next = await alone.backend(alone.start(), app);
    expect(await next.untilEnded(id, PATIENCE.timeout)).toMatchObject({ state: 'sent', accepted: DEVICES });
    expect(alone.simulator.pushesByToken(id).size).toBe(DEVICES);
    expect(await next.readNotification(later.id)).toMatchObject({ state: 'scheduled' });
    expect(hasBegun(later.id)).toBe(false);
  },
);
