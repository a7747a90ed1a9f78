/** `deliver_at` is kept to within two seconds, by a server that was up at that time and by one that was down. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { SimulatedApp } from '../support/simulated-app.ts';
import { useAlone } from './alone.ts';

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

  test('is sent at its time, not earlier and at most 2 s later', { timeout }, async () => {
    const backend = await alone.backend(alone.start(), app);
    const { id } = await backend.notify('*', { deliver_at: new Date(Date.now() + 3_000).toISOString() });
    const { due_at } = await backend.readNotification(id);
    const lateMs = (await firstPush(id)) - Date.parse(due_at);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(PUNCTUAL_MS);
    expect(await backend.untilEnded(id, 10_000)).toMatchObject({ state: 'sent', accepted: 100 });
  });

  test('is sent within 2 s of the start of a server that was down at its time', { timeout }, async () => {
    const down = alone.start();
    const { id } = await (
      await alone.backend(down, app)
    ).notify('*', { deliver_at: new Date(Date.now() + 2_000).toISOString() });
    const dueMs = Date.now() + 2_000;
    down.signal('SIGTERM');
    expect(await down.exited).toMatchObject({ code: 0, signal: null });
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(dueMs + 500), { timeout: 5_000 });
    expect(alone.simulator.pushesByToken(id).size).toBe(0);

    const up = alone.start();
    const pushed = firstPush(id);
    const backend = await alone.backend(up, app);
    const upMs = Date.now();
    expect((await pushed) - upMs).toBeLessThan(PUNCTUAL_MS);
    expect(await backend.untilEnded(id, 10_000)).toMatchObject({ state: 'sent', accepted: 100 });
  });
});
