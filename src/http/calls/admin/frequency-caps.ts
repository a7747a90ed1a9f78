/** The frequency caps of the app: read and replace. */
import {
  type FrequencyCap,
  frequencyCapsBody,
  readFrequencyCaps,
  setFrequencyCaps,
} from '../../../apps/frequency-caps.ts';
import { parseBy } from '../../../api/parse.ts';
import { callsWithKey, jsonReply } from '../../call.ts';

const call = callsWithKey('Settings');

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
const replies = [jsonReply(200, 'All caps of the app.', frequencyCapsBody, { frequency_caps: caps })];

export const frequencyCapsCalls = [
  call({
    id: 'readFrequencyCaps',
    method: 'GET',
    path: '/v6/app/frequency-caps',
    summary: 'Read the frequency caps of the app',
    scopes: ['read'],
    replies,
    handle: async ({ db }, { caller }) => ({ frequency_caps: await readFrequencyCaps(db, caller.appId) }),
  }),
  call({
    id: 'setFrequencyCaps',
    method: 'PUT',
    path: '/v6/app/frequency-caps',
    summary: 'Replace the frequency caps of the app',
    description:
      'Caps limit how many notifications of a `group` reach one user or device within a period. A device that is left out has ' +
      'the outcome `capped`. Notifications without a `group` are never left out and never counted. The new caps apply to ' +
      'notifications that start afterwards; an earlier notification counts if its group had a cap when it was sent.',
    scopes: ['admin'],
    body: { schema: frequencyCapsBody, example: { frequency_caps: caps } },
    replies,
    parse: (body) => parseBy(frequencyCapsBody, body).frequency_caps,
    handle: async ({ db, clock }, { caller, body, author }) => {
      await setFrequencyCaps(db, caller.appId, body, clock, author());
      return { frequency_caps: body };
    },
  }),
];
