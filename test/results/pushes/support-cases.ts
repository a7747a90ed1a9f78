/**
 * The cases that support staff are asked about, each with its one cause. One test asks the server, another reads the pages of the
 * console.
 */
import type { Kysely } from 'kysely';
import { setFrequencyCaps } from '../../../src/apps/frequency-caps.ts';
import type { QuietHours } from '../../../src/apps/quiet-hours-of-app.ts';
import type { Database } from '../../../src/db/tables.ts';
import type { Verdict } from '../../../src/gateways/gateway.ts';
import type { PushApp } from './push-app.ts';

const NIGHT = { from: '22:00', to: '08:00', no_time_zone: 'ignore' as const };
/** 23:00 in Sydney. */
export const NOON = '2026-11-21T12:00:00.000Z';
const MORNING = '2026-11-21T21:00:00.000Z';
const inSydney = { time_zone: 'Australia/Sydney' };

/** The newest push to a device or a user, or why a device did not get a notification. */
export type Asked = { device: string } | { user: string } | { device: string; notification: string };

export interface SupportCase {
  name: string;
  /** Sends the push. */
  prepare: (app: PushApp, db: Kysely<Database>) => Promise<Asked>;
  /** The state of the push, or the code of the first cause. */
  says: string;
  /** A part of it. */
  sentence: string;
  at?: string;
}

const drop = { ...NIGHT, action: 'drop' as const };

/** A push in the night to a device with these columns, with these keys. */
const quietHoursDrop = (
  own: object,
  keys: object,
  ofApp: QuietHours | null = drop,
): SupportCase['prepare'] => {
  return async (app) => {
    const device = await app.addDevice({ ...inSydney, ...own });
    await app.send({ device_id: device }, { ...keys }, ofApp);
    return { device };
  };
};

/** A push to a device that the gateways answer so. */
const answered = (verdict: Verdict, platform: 'iOS' | 'Android' = 'Android'): SupportCase['prepare'] => {
  return async (app) => {
    const device = await app.addDevice({ platform });
    app.answer(verdict);
    await app.send({ device_id: device });
    return { device };
  };
};

export const supportCases: readonly SupportCase[] = [
  {
    name: 'the user has no device',
    prepare: async (app) => {
      await app.send({ user_id: 'ghost' });
      return { user: 'ghost' };
    },
    says: 'nobody',
    sentence: 'no device is registered with this user id',
  },
  {
    name: 'the token is dead',
    prepare: answered({ kind: 'unregistered', reason: 'UNREGISTERED', deadSince: null }),
    says: 'unregistered',
    sentence: 'The app was removed from the device',
  },
  {
    name: 'the gateway refused the push',
    prepare: answered({ kind: 'rejected', reason: 'INVALID_ARGUMENT' }),
    says: 'rejected',
    sentence: 'Google cannot read the message',
  },
  {
    name: 'the token belongs to the other environment',
    prepare: answered({ kind: 'unregistered', reason: 'BadDeviceToken', deadSince: null }, 'iOS'),
    says: 'unregistered',
    sentence: 'Apple does not know the token in this environment',
  },
  {
    name: 'its own quiet hours drop it',
    prepare: quietHoursDrop({ quiet_hours: { from: '21:30', to: '07:00' } }, { quiet_hours: drop }, null),
    says: 'dropped',
    sentence: 'its moment was in the quiet hours that the user chose on the device (21:30 to 07:00)',
  },
  {
    name: 'the quiet hours of the app drop it',
    prepare: quietHoursDrop({}, {}),
    says: 'dropped',
    sentence: 'its moment was in the quiet hours of the app (22:00 to 08:00)',
  },
  {
    name: 'the quiet hours of the notification drop it',
    prepare: quietHoursDrop({}, { quiet_hours: { ...drop, from: '20:00' } }),
    says: 'dropped',
    sentence: 'its moment was in the quiet hours of this notification (20:00 to 08:00)',
  },
  {
    name: 'quiet hours hold it',
    prepare: async (app) => {
      const device = await app.addDevice({ ...inSydney, user_id: 'night owl' });
      await app.send({ user_id: 'night owl' }, {}, NIGHT);
      return { device };
    },
    says: 'held',
    at: MORNING,
    sentence: 'held because of the quiet hours of the app (22:00 to 08:00), and is sent when they end',
  },
  {
    name: 'its user had enough pushes',
    prepare: async (app, db) => {
      const device = await app.addDevice({ user_id: 'reader' });
      const cap = { group: 'news', by: 'user' as const, limits: [{ at_most: 1, per: 'P1D' }] };
      await setFrequencyCaps(db, app.appId, [cap], app.clock);
      await app.send({ user_id: 'reader' }, { group: 'news' });
      await app.send({ user_id: 'reader' }, { group: 'news' });
      return { device };
    },
    says: 'capped',
    sentence: 'as many pushes of this group as the frequency cap allows',
  },
  {
    name: 'it is scheduled',
    prepare: async (app) => {
      const device = await app.addDevice({ user_email: 'ada@example.com' });
      await app.create([{ name: 'user_email', criteria: ['ada@example.com'] }], {
        deliver_at: '2026-11-21T13:00:00Z',
      });
      return { device };
    },
    says: 'planned',
    at: '2026-11-21T13:00:00.000Z',
    sentence: 'It has not been sent yet',
  },
  {
    name: 'it was for somebody else',
    prepare: async (app) => {
      const device = await app.addDevice({ user_id: 'ben’s friend' });
      await app.addDevice({ user_id: 'ben' });
      const id = await app.send({ user_id: 'ben' });
      return { device, notification: id };
    },
    says: 'not_in_audience',
    sentence: 'It was addressed to another user (user_id); this device has ben’s friend.',
  },
  {
    name: 'a filter does not select it',
    prepare: async (app) => {
      const device = await app.addDevice({ app_version: '1.9' });
      await app.addDevice({ app_version: '2.1' });
      const id = await app.send([{ name: 'app_version', criteria: [{ gte: '2.0' }] }]);
      return { device, notification: id };
    },
    says: 'not_in_audience',
    sentence: 'This filter does not select it: app_version. Wanted is at least 2.0; the device has 1.9.',
  },
];

/** Sends them all. @returns what is asked in each case, by its name */
export async function prepareSupportCases(
  app: PushApp,
  db: Kysely<Database>,
): Promise<ReadonlyMap<string, Asked>> {
  const asked = new Map<string, Asked>();
  for (const { name, prepare } of supportCases) {
    app.answer({ kind: 'accepted' });
    asked.set(name, await prepare(app, db));
  }
  return asked;
}
