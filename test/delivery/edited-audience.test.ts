import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createNamedAudience } from '../../src/audiences/audience-store.ts';
import { editAudience } from '../../src/audiences/edit.ts';
import { readDueNotifications } from '../../src/delivery/start/direct-store.ts';
import { markPruned } from '../../src/delivery/upkeep/prune-store.ts';
import type { Filter } from '../../src/filters/filter.ts';
import { parseFilters } from '../../src/filters/filter-schema.ts';
import { useTestDatabase } from '../support/database.ts';
import { openWaveApp, type WaveApp } from './waves/wave-app.ts';

const database = useTestDatabase();
const START = '2026-12-20T12:00:00Z';
let app: WaveApp;

beforeEach(async () => {
  app = await openWaveApp(database.db, new Date(START));
});

function selecting(name: string, ...criteria: unknown[]): readonly Filter[] {
  const parsed = parseFilters([{ name, criteria }], 'filters');
  if (!parsed.ok) throw new Error('the filters are valid');
  return parsed.filters;
}

const tagged = (tag: string): readonly Filter[] => selecting('tags', tag);

async function addTagged(tag: string, zones: readonly (string | null)[]): Promise<string[]> {
  const ids = await app.addDevices(zones);
  await sql`update devices set tags = ${[tag]} where app_id = ${app.appId} and id = any(${ids}::uuid[])`.execute(
    database.db,
  );
  return ids;
}

async function makeAudience(filters: readonly Filter[]): Promise<string> {
  const { appId, clock } = app;
  return (await createNamedAudience(database.db, { appId, name: 'Some', filters, clock })).id;
}

async function edit(id: string, filters: readonly Filter[]): Promise<void> {
  await editAudience(database.db, { appId: app.appId, id, name: 'Some', filters, clock: app.clock });
}

const sentTo = (): string[] => app.sent.map(({ deviceId }) => deviceId).toSorted();

describe('editing an audience', () => {
  test.each([
    ['for the first time', 0],
    ['again', 1],
  ])(
    'an edit in the middle of a bulk notification, made %s, changes none of its devices: each gets it once, and the counts add up',
    async (_which, editsBefore) => {
      const wanted = await addTagged(
        'a',
        Array.from({ length: 2_500 }, () => null),
      );
      await addTagged(
        'b',
        Array.from({ length: 1_500 }, () => null),
      );
      const audience = await makeAudience(editsBefore === 0 ? tagged('a') : tagged('c'));
      if (editsBefore > 0) await edit(audience, tagged('a'));
      const id = await app.create({ to: { audience } });
      await app.plan(id);
      await app.deliverSlice(id);
      expect(app.sent.length).toBeGreaterThan(0);
      expect(app.sent.length).toBeLessThan(wanted.length);
      await edit(audience, tagged('b'));
      app.changeWorker();
      await app.work(id);
      expect(sentTo()).toEqual(wanted.toSorted());
      expect(await app.read(id)).toMatchObject({
        state: 'sent',
        devices: 2_500,
        accepted: 2_500,
        left_out: 0,
      });
    },
  );

  test('an edit while a notification waits for its time takes the notification to the devices of then', async () => {
    await addTagged('a', [null, null]);
    const others = await addTagged('b', [null]);
    const audience = await makeAudience(tagged('a'));
    const id = await app.create({ to: { audience }, deliver_at: '2026-12-20T13:00:00Z' });
    await edit(audience, tagged('b'));
    await app.workAt('2026-12-20T13:00:00Z', id);
    expect(sentTo()).toEqual(others);
    expect(await app.read(id)).toMatchObject({ state: 'sent', devices: 1, accepted: 1 });
  });

  test('an edit between two waves leaves the later wave its devices', async () => {
    const wanted = await addTagged('a', ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York']);
    await addTagged('b', ['Europe/Berlin', 'America/New_York']);
    const audience = await makeAudience(tagged('a'));
    const local = { time: '2026-12-24T09:00:00', no_time_zone: 'Europe/Berlin' };
    const id = await app.create({ to: { audience }, deliver_at_local: local });
    await app.workAt('2026-12-24T00:00:00Z', id);
    expect(app.sent).toHaveLength(1);
    await edit(audience, tagged('b'));
    app.changeWorker();
    await app.workThrough(id);
    expect(sentTo()).toEqual(wanted.toSorted());
    expect(await app.read(id)).toMatchObject({ state: 'sent', devices: 3, accepted: 3 });
  });

  test('an edit after a notification was sent leaves its explanation as it was', async () => {
    const [wanted = ''] = await addTagged('a', [null]);
    const [other = ''] = await addTagged('b', [null]);
    const audience = await makeAudience(tagged('a'));
    const first = await app.send({ to: { audience } });
    await edit(audience, tagged('b'));
    const second = await app.send({ to: { audience } });
    await edit(audience, tagged('c'));
    const filtersFor = async (notificationId: string, deviceId: string) => {
      const { outcome, filters } = await app.explain(notificationId, deviceId);
      return [outcome, filters?.map(({ filter, matches }) => [filter.criteria, matches])];
    };
    expect(await filtersFor(first, other)).toEqual([undefined, [[['a'], false]]]);
    expect(await filtersFor(second, wanted)).toEqual([undefined, [[['b'], false]]]);
    expect(sentTo()).toEqual([wanted, other].toSorted());
  });

  test.each([
    ['for the first time', false],
    ['again', true],
  ])(
    'an edit between the reading and the claim of a single push, made %s, leaves the push its device',
    async (_which, wasEdited) => {
      const [wanted = '', other = ''] = await app.addDevices([null, null]);
      const audience = await makeAudience(selecting('device_id', wasEdited ? randomUUID() : wanted));
      if (wasEdited) await edit(audience, selecting('device_id', wanted));
      const id = await app.create({ to: { audience } });
      const due = await readDueNotifications(database.db, {
        now: app.clock(),
        from: new Date(0),
        limit: 100,
        except: [],
      });
      await edit(audience, selecting('device_id', other));
      const mine = due.filter(({ notificationId }) => notificationId === id);
      const { claimed } = await app.claimDue(mine);
      expect(claimed.map(({ devices }) => devices.map((device) => device.id))).toEqual([[wanted]]);
      expect(await app.outcomeOf(id, wanted)).toMatchObject({ outcome: 'pending' });
      expect(await app.outcomeOf(id, other)).toMatchObject({ outcome: 'not_targeted' });
    },
  );

  test('the filters that were kept for a notification are deleted when it is pruned', async () => {
    await addTagged('b', [null]);
    const audience = await makeAudience(tagged('a'));
    await edit(audience, tagged('b'));
    const id = await app.send({ to: { audience } });
    const kept = async () =>
      database.db
        .selectFrom('notifications')
        .select('planned_filters')
        .where('id', '=', id)
        .executeTakeFirst();
    const filters = [{ name: 'tags', criteria: ['b'], not_filter: false }];
    expect(await kept()).toEqual({ planned_filters: filters });
    await markPruned(database.db, [{ appId: app.appId, notificationId: id }], app.clock());
    expect(await kept()).toEqual({ planned_filters: null });
  });
});
