import { beforeEach, expect, test } from 'vitest';
import { createNamedAudience } from '../../src/audiences/audience-store.ts';
import { parseFilters } from '../../src/filters/filter-schema.ts';
import { cancelNotification } from '../../src/notifications/cancel.ts';
import { listDue } from '../../src/notifications/look-up/due.ts';
import { observeNothing } from '../../src/observe.ts';
import { useTestDatabase } from '../support/database.ts';
import { openWaveApp, type WaveApp } from '../delivery/waves/wave-app.ts';

const database = useTestDatabase();
let app: WaveApp;

beforeEach(async () => {
  app = await openWaveApp(database.db, new Date('2026-12-20T12:00:00Z'));
});

const due = async (from: string, to: string) =>
  listDue(database.db, app.appId, { from: new Date(from), to: new Date(to) });
const at = async (time: string, keys: Record<string, unknown> = {}): Promise<string> =>
  app.create({ deliver_at: time, ...keys });

const minute = (index: number): string => new Date(Date.UTC(2026, 11, 24, 0, index)).toISOString();

test('scheduled notifications between two moments are listed by time, with their texts and their audience', async () => {
  const filters = parseFilters([{ name: 'tags', criteria: ['a'] }], 'filters');
  if (!filters.ok) throw new Error('the filters are valid');
  const request = { appId: app.appId, name: 'Fans', filters: filters.filters, clock: app.clock };
  const audience = await createNamedAudience(database.db, request);
  const late = await at('2026-12-24T18:00:00Z');
  const payload = { title: 'x'.repeat(300), alert: 'Hello' };
  const early = await at('2026-12-24T08:00:00Z', { to: { audience: audience.id }, payload });
  await at('2026-12-25T00:00:00Z');
  await at('2026-12-23T23:59:59Z');
  const found = await due('2026-12-24T00:00:00Z', '2026-12-25T00:00:00Z');
  expect(found).toMatchObject({ single_count: 0, searched_until: null });
  expect(found.due).toMatchObject([
    {
      notification_id: early,
      kind: 'notification',
      at: '2026-12-24T08:00:00.000Z',
      until: '2026-12-24T08:00:00.000Z',
      local_time: null,
      title: 'x'.repeat(200),
      alert: 'Hello',
      audience: { id: audience.id, name: 'Fans' },
      devices: null,
    },
    { notification_id: late, title: null, alert: 'Hi', audience: { name: 'All devices' } },
  ]);
});

test('what is canceled, of another app, or to one user is not listed, and the last is counted', async () => {
  const other = await openWaveApp(database.db, app.clock());
  await other.create({ deliver_at: '2026-12-24T08:00:00Z' });
  await at('2026-12-24T08:00:00Z', { to: { user_id: 'jo' } });
  const id = await at('2026-12-24T08:00:00Z');
  await cancelNotification(database.db, app.appId, id, { clock: app.clock, observe: observeNothing });
  expect(await due('2026-12-24', '2026-12-25')).toEqual({ due: [], single_count: 1, searched_until: null });
});

test('a notification at local time is listed from its first to its last zone, and its waves once it is planned', async () => {
  await app.addDevices(['Asia/Tokyo', 'Europe/Berlin', 'America/New_York']);
  const local = { time: '2026-12-24T09:00:00', no_time_zone: 'Europe/Berlin' };
  const id = await app.create({ deliver_at_local: local, spread_over: 'PT1H' });
  const [entry] = (await due('2026-12-24T20:00:00Z', '2026-12-25T00:00:00Z')).due;
  expect(entry).toMatchObject({
    notification_id: id,
    kind: 'notification',
    at: '2026-12-23T19:00:00.000Z',
    until: '2026-12-24T22:00:00.000Z',
    local_time: '2026-12-24T09:00:00',
  });
  expect((await due('2026-12-24T22:00:01Z', '2026-12-25T00:00:00Z')).due).toEqual([]);
  app.setTime('2026-12-24T00:00:00Z');
  await app.work(id);
  const { due: waves } = await due('2026-12-24T00:00:00Z', '2026-12-25T00:00:00Z');
  expect(waves.map((wave) => [wave.kind, wave.at, wave.until, wave.time_zones, wave.devices])).toEqual([
    ['wave', '2026-12-24T08:00:00.000Z', '2026-12-24T09:00:00.000Z', ['Europe/Berlin'], 1],
    ['wave', '2026-12-24T14:00:00.000Z', '2026-12-24T15:00:00.000Z', ['America/New_York'], 1],
  ]);
});

test('more than two hundred entries are cut, and the reply says until when it is complete', async () => {
  for (let index = 0; index < 203; index++) await at(minute(index));
  const found = await due('2026-12-24', '2026-12-25');
  expect([found.due.length, found.searched_until]).toEqual([200, minute(200)]);
  const rest = await due(found.searched_until ?? '', '2026-12-25');
  expect([rest.due.length, rest.searched_until]).toEqual([3, null]);
});
