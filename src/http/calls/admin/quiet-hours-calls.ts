/** The quiet hours of the app: read and set. */
import { z } from 'zod';
import { quietHours, readQuietHours, setQuietHours } from '../../../apps/quiet-hours-of-app.ts';
import { parseBy } from '../../../api/parse.ts';
import { callsWithKey, jsonReply } from '../../call.ts';

const quietHoursForm = z
  .strictObject({
    quiet_hours: quietHours.nullable().describe('Null: the app has none.'),
  })
  .meta({ id: 'QuietHours' });

const call = callsWithKey('Settings');

const example = {
  quiet_hours: {
    from: '22:00',
    to: '08:00',
    no_time_zone: 'Europe/Berlin',
    action: 'hold',
    release_over: 'PT15M',
  },
};

export const quietHoursCalls = [
  call({
    id: 'readQuietHours',
    method: 'GET',
    path: '/v6/app/quiet-hours',
    summary: 'Read the quiet hours of the app',
    scopes: ['read'],
    replies: [jsonReply(200, 'The quiet hours.', quietHoursForm, example)],
    handle: async ({ db }, { caller }) => ({ quiet_hours: await readQuietHours(db, caller.appId) }),
  }),
  call({
    id: 'setQuietHours',
    method: 'PUT',
    path: '/v6/app/quiet-hours',
    summary: 'Set the quiet hours of the app, or remove them',
    description:
      'They apply to notifications that are created from then on, unless these have `quiet_hours` ' +
      'of their own; other processes know them within two seconds. Existing notifications keep ' +
      'theirs.',
    scopes: ['admin'],
    body: { schema: quietHoursForm, example },
    replies: [jsonReply(200, 'The quiet hours.', quietHoursForm, example)],
    parse: (body) => parseBy(quietHoursForm, body),
    handle: async ({ db, clock, forgetCallers }, { caller, body: { quiet_hours: hours }, author }) => {
      await setQuietHours(db, caller.appId, hours, clock, author());
      forgetCallers();
      return { quiet_hours: hours };
    },
  }),
];
