/**
 * The cases that support staff are asked about: each is answered by one call, with its one cause, however much other traffic there
 * was since.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { setFrequencyCaps } from '../../../src/apps/frequency-caps.ts';
import { explainDelivery } from '../../../src/results/explain/explain.ts';
import { readDevicePushes } from '../../../src/results/history/device-pushes.ts';
import { readUserPushes } from '../../../src/results/history/user-pushes.ts';
import { useTestDatabase } from '../../support/database.ts';
import { openPushApp, type PushApp } from './push-app.ts';

const OTHERS = 10_000;
const NIGHT = { from: '22:00', to: '08:00', no_time_zone: 'ignore' as const };
/** 23:00 in Sydney. */
const NOON = '2026-11-21T12:00:00.000Z';
const MORNING = '2026-11-21T21:00:00.000Z';
const inSydney = { time_zone: 'Australia/Sydney' };

const database = useTestDatabase();
let app: PushApp;

interface Answer {
  /** The state of the push, or the code of the first cause. */
  says: string;
  at?: string | null;
  sentence: string;
}

/** The newest push in the list of a device or a user. */
async function newestOf(key: { device: string } | { user: string }): Promise<Answer> {
  const page = { after: undefined, now: app.clock() };
  const { pushes } =
    'device' in key
      ? await readDevicePushes(database.db, app.appId, key.device, page)
      : await readUserPushes(database.db, app.appId, { by: 'user_id', value: key.user }, page);
  const [newest] = pushes;
  if (newest === undefined) throw new Error('there is no push');
  return { says: newest.state, at: newest.at, sentence: newest.explanation };
}

async function whyNot(notificationId: string, deviceId: string): Promise<Answer> {
  const key = { appId: app.appId, notificationId, deviceId, now: app.clock() };
  const { causes } = await explainDelivery(database.db, key);
  return { says: causes[0]?.code ?? '', sentence: causes[0]?.sentence ?? '' };
}

interface Case {
  name: string;
  /** Sends the push. @returns the call that answers */
  prepare: () => Promise<() => Promise<Answer>>;
  says: string;
  sentence: string;
  at?: string;
}

const quietHoursDrop = async (own: object, keys: object, ofApp: boolean): Promise<() => Promise<Answer>> => {
  const device = await app.addDevice({ ...inSydney, ...own });
  await app.send({ device_id: device }, { ...keys }, ofApp ? { ...NIGHT, action: 'drop' } : null);
  return async () => newestOf({ device });
};

const cases: Case[] = [
  {
    name: 'the user has no device',
    prepare: async () => {
      await app.send({ user_id: 'ghost' });
      return async () => newestOf({ user: 'ghost' });
    },
    says: 'nobody',
    sentence: 'no device is registered with this user id',
  },
  {
    name: 'the token is dead',
    prepare: async () => {
      const device = await app.addDevice({ user_id: 'ada' });
      app.answer({ kind: 'unregistered', reason: 'UNREGISTERED', deadSince: null });
      await app.send({ user_id: 'ada' });
      return async () => newestOf({ device });
    },
    says: 'unregistered',
    sentence: 'The app was removed from the device',
  },
  {
    name: 'the gateway refused the push',
    prepare: async () => {
      const device = await app.addDevice();
      app.answer({ kind: 'rejected', reason: 'INVALID_ARGUMENT' });
      await app.send([{ name: 'device_id', criteria: [device] }]);
      return async () => newestOf({ device });
    },
    says: 'rejected',
    sentence: 'Google cannot read the message',
  },
  {
    name: 'the token belongs to the other environment',
    prepare: async () => {
      const device = await app.addDevice({ platform: 'iOS' });
      app.answer({ kind: 'unregistered', reason: 'BadDeviceToken', deadSince: null });
      await app.send({ device_id: device });
      return async () => newestOf({ device });
    },
    says: 'unregistered',
    sentence: 'Apple does not know the token in this environment',
  },
  {
    name: 'its own quiet hours drop it',
    prepare: async () =>
      quietHoursDrop(
        { quiet_hours: { from: '21:30', to: '07:00' } },
        { quiet_hours: { ...NIGHT, action: 'drop' } },
        false,
      ),
    says: 'dropped',
    sentence: 'its moment was in the quiet hours that the user chose on the device (21:30 to 07:00)',
  },
  {
    name: 'the quiet hours of the app drop it',
    prepare: async () => quietHoursDrop({}, {}, true),
    says: 'dropped',
    sentence: 'its moment was in the quiet hours of the app (22:00 to 08:00)',
  },
  {
    name: 'the quiet hours of the notification drop it',
    prepare: async () =>
      quietHoursDrop({}, { quiet_hours: { ...NIGHT, from: '20:00', action: 'drop' } }, true),
    says: 'dropped',
    sentence: 'its moment was in the quiet hours of this notification (20:00 to 08:00)',
  },
  {
    name: 'quiet hours hold it',
    prepare: async () => {
      const device = await app.addDevice({ ...inSydney, user_id: 'night owl' });
      await app.send({ user_id: 'night owl' }, {}, NIGHT);
      return async () => newestOf({ device });
    },
    says: 'held',
    at: MORNING,
    sentence: 'held because of the quiet hours of the app (22:00 to 08:00), and is sent when they end',
  },
  {
    name: 'its user had enough pushes',
    prepare: async () => {
      const device = await app.addDevice({ user_id: 'reader' });
      const cap = { group: 'news', by: 'user' as const, limits: [{ at_most: 1, per: 'P1D' }] };
      await setFrequencyCaps(database.db, app.appId, [cap], app.clock);
      await app.send({ user_id: 'reader' }, { group: 'news' });
      await app.send({ user_id: 'reader' }, { group: 'news' });
      return async () => newestOf({ device });
    },
    says: 'capped',
    sentence: 'as many pushes of this group as the frequency cap allows',
  },
  {
    name: 'it is scheduled',
    prepare: async () => {
      const device = await app.addDevice({ user_email: 'ada@example.com' });
      await app.create([{ name: 'user_email', criteria: ['ada@example.com'] }], {
        deliver_at: '2026-11-21T13:00:00Z',
      });
      return async () => newestOf({ device });
    },
    says: 'planned',
    at: '2026-11-21T13:00:00.000Z',
    sentence: 'It has not been sent yet',
  },
  {
    name: 'it was for somebody else',
    prepare: async () => {
      const device = await app.addDevice({ user_id: 'ben’s friend' });
      await app.addDevice({ user_id: 'ben' });
      const id = await app.send({ user_id: 'ben' });
      return async () => whyNot(id, device);
    },
    says: 'not_in_audience',
    sentence: 'It was addressed to another user (user_id); this device has ben’s friend.',
  },
  {
    name: 'a filter does not select it',
    prepare: async () => {
      const device = await app.addDevice({ app_version: '1.9' });
      await app.addDevice({ app_version: '2.1' });
      const id = await app.send([{ name: 'app_version', criteria: [{ gte: '2.0' }] }]);
      return async () => whyNot(id, device);
    },
    says: 'not_in_audience',
    sentence: 'This filter does not select it: app_version. Wanted is at least 2.0; the device has 1.9.',
  },
];

describe(`after ${OTHERS} other pushes of the app`, () => {
  const calls = new Map<string, () => Promise<Answer>>();
  beforeAll(async () => {
    app = await openPushApp(database.db, NOON);
    for (const { name, prepare } of cases) {
      app.answer({ kind: 'accepted' });
      calls.set(name, await prepare());
    }
    await app.createOthers(OTHERS);
  }, 120_000);

  test.each(cases)('one call says that $name', async ({ name, says, sentence, at }) => {
    const answer = await calls.get(name)?.();
    expect(answer).toMatchObject({ says, sentence: expect.stringContaining(sentence), ...(at && { at }) });
  });
});
