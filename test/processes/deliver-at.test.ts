/** `deliver_at` is kept to within two seconds, by a server that was up at that time and by one that was down. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { SimulatedApp } from '../support/simulated-app.ts';
import { useAlone } from './alone.ts';
import { expectToStop } from '../support/processes.ts';

const PUNCTUAL_MS = 2_000;
const timeout = 60_000;

describe('a notification with deliver_at', () => {
  const alone = useAlone();
  let app: SimulatedApp;
  beforeAll(async () => {
    ({ app } = await alone.makeApp(100));
  });

  /** Time of its first push, in Unix milliseconds. */
  async function firstPush(id: string): Promise<number> {
    await vi.waitFor(() => expect(alone.simulator.pushesByToken(id).size).toBeGreaterThan(0), {
      timeout: 20_000,
      interval: 5,
    });
    return Date.now();
  }

  test(
    'is sent within 2 s of its time, and of the start of a server that was down then',
    { timeout },
    async () => {
      const down = alone.start();
      const backend = await alone.backend(down, app);
      const inTime = await backend.notify('*', { deliver_at: new Date(Date.now() + 2_000).toISOString() });
      const { due_at } = await backend.readNotification(inTime.id);
      const lateMs = (await firstPush(inTime.id)) - Date.parse(due_at);
      expect(lateMs).toBeGreaterThanOrEqual(0);
      expect(lateMs).toBeLessThan(PUNCTUAL_MS);
      expect(await backend.untilEnded(inTime.id, 10_000)).toMatchObject({ state: 'sent', accepted: 100 });

      const dueMs = Date.now() + 2_000;
      const { id } = await backend.notify('*', { deliver_at: new Date(dueMs).toISOString() });
      await expectToStop(down);
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(dueMs + 500), { timeout: 5_000 });
      expect(alone.simulator.pushesByToken(id).size).toBe(0);

      const up = alone.start();
      const pushed = firstPush(id);
      const next = await alone.backend(up, app);
      const upMs = Date.now();
      expect((await pushed) - upMs).toBeLessThan(PUNCTUAL_MS);
      expect(await next.untilEnded(id, 10_000)).toMatchObject({ state: 'sent', accepted: 100 });
    },
  );
});
