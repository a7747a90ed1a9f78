/** Devices come, go and change while a notification is sent: who is in it, and what its counters say. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cancelNotification } from '../../../src/notifications/cancel.ts';
import { observeNothing } from '../../../src/observe.ts';
import { useTestDatabase } from '../../support/database.ts';
import { openWaveApp, type WaveApp } from './wave-app.ts';
import { runs } from '../../support/runs.ts';

const database = useTestDatabase();
const START = new Date('2026-12-20T12:00:00Z');
const LATER = '2026-12-21T12:00:00Z';
const ZONES = ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York'];
const TAGGED = [{ name: 'tags', criteria: ['vip'] }];
const IN_WAVES = { deliver_at_local: { time: '2026-12-24T09:00:00', no_time_zone: 'Europe/Berlin' } };

async function tag(app: WaveApp, ids: readonly string[], tags: string[]): Promise<void> {
  if (ids.length === 0) return;
  const { appId } = app;
  await database.db
    .updateTable('devices')
    .set({ tags })
    .where('app_id', '=', appId)
    .where('id', 'in', ids)
    .execute();
}

async function remove({ appId }: WaveApp, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await database.db.deleteFrom('devices').where('app_id', '=', appId).where('id', 'in', ids).execute();
}

/** Devices of which each second one is tagged. */
async function openApp(): Promise<{ app: WaveApp; tagged: string[]; others: string[] }> {
  const app = await openWaveApp(database.db, START);
  const zones = Array.from({ length: 4 }, () => ZONES).flat();
  const [tagged, others] = [await app.addDevices(zones), await app.addDevices(zones)];
  await tag(app, tagged, ['vip']);
  return { app, tagged, others };
}

/** Reads the notification, whose waves must add up as well. */
async function read(app: WaveApp, id: string) {
  const found = await app.read(id);
  const { waves = [], state, held, devices, pending } = found;
  const waiting = waves
    .filter((wave) => wave.state === 'waiting')
    .reduce((sum, wave) => sum + wave.devices, 0);
  if (state === 'sending') expect(held).toBe(waiting);
  if (waves.length > 0) {
    expect(devices).toBeGreaterThanOrEqual(waves.reduce((sum, wave) => sum + wave.devices, 0));
  }
  if (state === 'sent') expect(pending).toBe(0);
  return found;
}

describe('a device that changes', () => {
  test('a device that registers after planning gets nothing and is not counted, in no wave', async () => {
    const { app, tagged } = await openApp();
    const id = await app.create({ to: '*', ...IN_WAVES });
    await app.workAt('2026-12-23T23:59:59Z', id);
    const planned = await read(app, id);
    app.setTime('2026-12-24T00:00:00Z');
    await app.addDevices([...ZONES, ...ZONES]);
    await app.workThrough(id);
    expect(await read(app, id)).toMatchObject({
      state: 'sent',
      devices: planned.devices,
      accepted: planned.devices,
      left_out: 0,
    });
    expect(planned.devices).toBe(2 * tagged.length);
  });

  test('a device that registers between the planning and the sending of a bulk notification is not in it', async () => {
    const { app, tagged } = await openApp();
    const devices = 2 * tagged.length;
    const id = await app.create({ to: '*', max_recipients: devices });
    await app.plan(id);
    app.setTime(new Date(START.getTime() + 1_000));
    const late = new Set(await app.addDevices([...ZONES, null]));
    await app.workThrough(id);
    expect(await read(app, id)).toMatchObject({ state: 'sent', devices, accepted: devices, left_out: 0 });
    expect(app.sent.filter(({ deviceId }) => late.has(deviceId))).toEqual([]);
  });

  test('a device that no longer matches when its turn comes gets nothing, and is counted as left out', async () => {
    const { app, tagged } = await openApp();
    const id = await app.create({ to: TAGGED, ...IN_WAVES });
    await app.workAt('2026-12-24T00:00:00Z', id);
    const sent = app.sent.length;
    const left = tagged
      .filter((deviceId) => !app.sent.some((push) => push.deviceId === deviceId))
      .slice(0, 3);
    await tag(app, left.slice(0, 2), []);
    await remove(app, left.slice(2));
    expect(await read(app, id)).toMatchObject({ accepted: sent, left_out: 0, pending: tagged.length - sent });
    await app.workThrough(id);
    const accepted = tagged.length - 3;
    expect(await read(app, id)).toMatchObject({
      state: 'sent',
      devices: tagged.length,
      accepted,
      left_out: 3,
    });
  });

  test('a device that was registered by a server whose clock is ahead gets the push', async () => {
    const { app, tagged } = await openApp();
    app.setTime(new Date(START.getTime() + 60_000));
    await app.addDevices(ZONES);
    app.setTime(START);
    const id = await app.send({ to: '*' });
    const devices = 2 * tagged.length + ZONES.length;
    expect(await read(app, id)).toMatchObject({ state: 'sent', devices, accepted: devices });
  });
});

describe('max_recipients', () => {
  test.each([
    ['in waves', IN_WAVES, '2026-12-23T19:00:00Z'],
    ['spread', { spread_over: 'PT1H', deliver_at: LATER }, LATER],
  ])(
    'max_recipients is not exceeded by devices that begin to match after planning: %s',
    async (_, moment, plannedAt) => {
      const { app, tagged, others } = await openApp();
      const max = tagged.length + 2;
      const id = await app.create({ to: TAGGED, max_recipients: max, ...moment });
      await app.workAt(plannedAt, id);
      await tag(app, others, ['vip']);
      await app.workThrough(id);
      const found = await read(app, id);
      expect(found.state).toBe('sent');
      expect(app.sent.length).toBeLessThanOrEqual(max);
      expect(new Set(app.sent.map(({ deviceId }) => deviceId)).size).toBe(app.sent.length);
      expect(found.accepted).toBe(app.sent.length);
    },
  );
});

test('the counters add up after every step, and the limit is never exceeded, whatever devices do meanwhile', async () => {
  const step = fc.record({
    does: fc.constantFrom('register', 'tag', 'untag', 'remove', 'work', 'time'),
    share: fc.integer({ min: 0, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 12 }),
      fc.constantFrom(0, 3, null),
      fc.boolean(),
      async (steps, slack, cancels) => {
        const { app, tagged, others } = await openApp();
        const max = slack === null ? {} : { max_recipients: tagged.length + slack };
        const id = await app.create({ to: TAGGED, ...IN_WAVES, ...max });
        await app.workAt('2026-12-23T19:00:00Z', id);
        const late: string[] = [];
        for (const { does, share } of steps) {
          const some = (all: readonly string[]) => all.filter((_, index) => index % 4 === share);
          if (does === 'register') {
            app.setTime(new Date(app.clock().getTime() + 1));
            const added = await app.addDevices(ZONES);
            await tag(app, added, ['vip']);
            late.push(...added);
          }
          if (does === 'tag') await tag(app, some(others), ['vip']);
          if (does === 'untag') await tag(app, some(tagged), []);
          if (does === 'remove') await remove(app, some(tagged));
          if (does === 'time') app.setTime(new Date(app.clock().getTime() + 4 * 3_600_000));
          if (does === 'work') await app.work(id);
          await read(app, id);
        }
        if (cancels)
          await cancelNotification(database.db, app.appId, id, { clock: app.clock, observe: observeNothing });
        else await app.workThrough(id);
        const found = await read(app, id);
        if (slack !== null) expect(app.sent.length).toBeLessThanOrEqual(tagged.length + slack);
        expect(found.accepted).toBe(app.sent.length);
        const reached = new Set(app.sent.map(({ deviceId }) => deviceId));
        expect(reached.size).toBe(app.sent.length);
        expect(late.filter((deviceId) => reached.has(deviceId))).toEqual([]);
      },
    ),
    { numRuns: runs(6) },
  );
});
