/** What limits all notifications of the app: its quiet hours and its frequency caps, each to read and to set. */
import { z } from 'zod';
import {
  type FrequencyCap,
  frequencyCapsBody,
  readFrequencyCaps,
  setFrequencyCaps,
} from '../../../apps/frequency-caps.ts';
import { quietHours, readQuietHours, setQuietHours } from '../../../apps/quiet-hours-of-app.ts';
import { parseBy } from '../../../api/parse.ts';
import { callsWithKey, jsonReply } from '../../call.ts';

const call = callsWithKey('Settings');

const quietHoursForm = z
  .strictObject({
    quiet_hours: quietHours.nullable().describe('Null: the app has none.'),
  })
  .meta({ id: 'QuietHours' });

const hoursExample = {
  quiet_hours: {
    from: '22:00',
    to: '08:00',
    no_time_zone: 'Europe/Berlin',
    action: 'hold',
    release_over: 'PT15M',
  },
};

const hoursReplies = [jsonReply(200, 'The quiet hours.', quietHoursForm, hoursExample)];

const caps: FrequencyCap[] = [
  {
    group: 'marketing',
    by: 'user',
    limits: [
      { at_most: 2, per: 'P1D' },
      { at_most: 5, per: 'P7D' },
    ],
  },
];
const capsReplies = [jsonReply(200, 'All caps of the app.', frequencyCapsBody, { frequency_caps: caps })];

export const limitCalls = [
  call({
    id: 'readQuietHours',
    address: 'GET /v6/app/quiet-hours',
    summary: 'Read the quiet hours of the app',
    scopes: ['read'],
    replies: hoursReplies,
    handle: async ({ db }, { caller }) => ({ quiet_hours: await readQuietHours(db, caller.appId) }),
  }),
  call({
    id: 'setQuietHours',
    address: 'PUT /v6/app/quiet-hours',
    summary: 'Set the quiet hours of the app, or remove them',
    description:
      'They apply to notifications that are created from then on, unless these have `quiet_hours` ' +
      'of their own; other processes know them within two seconds. Existing notifications keep ' +
      'theirs.',
    scopes: ['admin'],
    body: { schema: quietHoursForm, example: hoursExample },
    replies: hoursReplies,
    parse: (body) => parseBy(quietHoursForm, body),
    handle: async ({ db, clock, forgetCallers }, { caller, body: { quiet_hours: hours }, author }) => {
      await setQuietHours(db, caller.appId, hours, clock, author());
      forgetCallers();
      return { quiet_hours: hours };
    },
  }),
  call({
    id: 'readFrequencyCaps',
    address: 'GET /v6/app/frequency-caps',
    summary: 'Read the frequency caps of the app',
    scopes: ['read'],
    replies: capsReplies,
    handle: async ({ db }, { caller }) => ({ frequency_caps: await readFrequencyCaps(db, caller.appId) }),
  }),
  call({
    id: 'setFrequencyCaps',
    address: 'PUT /v6/app/frequency-caps',
    summary: 'Replace the frequency caps of the app',
    description:
      'Caps limit how many notifications of a `group` reach one user or device within a period. A device that is left out has ' +
      'the outcome `capped`. Notifications without a `group` are never left out and never counted. The new caps apply to ' +
      'notifications that start afterwards; an earlier notification counts if its group had a cap when it was sent.',
    scopes: ['admin'],
    body: { schema: frequencyCapsBody, example: { frequency_caps: caps } },
    replies: capsReplies,
    parse: (body) => parseBy(frequencyCapsBody, body).frequency_caps,
    handle: async ({ db, clock }, { caller, body, author }) => {
      await setFrequencyCaps(db, caller.appId, body, clock, author());
      return { frequency_caps: body };
    },
  }),
];
