/** The call for a calendar: what is due between two moments. */
import { z } from 'zod';
import { dueListReply, listDue } from '../../../notifications/look-up/due.ts';
import { instant } from '../../../time/instant.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { audience, NOTIFICATION_ID } from '../samples.ts';

const RANGE_DAYS_MAX = 62;
const DAY_MS = 24 * 3_600_000;

const rangeRule = `must be after from, by at most ${RANGE_DAYS_MAX} days`;
const dueQuery = z
  .object({
    from: instant.meta({ type: 'string', description: 'A date or date-time of ISO 8601.' }),
    to: instant.meta({ type: 'string', description: 'Not included.' }),
  })
  .refine(
    ({ from, to }) => {
      const range = to.getTime() - from.getTime();
      return range > 0 && range <= RANGE_DAYS_MAX * DAY_MS;
    },
    { message: rangeRule, path: ['to'] },
  );

export const listDueCall = callsWithKey('Notifications')({
  id: 'listDueNotifications',
  address: 'GET /v6/notifications/due',
  readsReplica: true,
  summary: 'List what is due between two moments',
  description:
    'For a calendar: scheduled notifications and waiting waves, also those that began before `from` and go on after it. ' +
    `Notifications to one device or user are only counted. \`to\` is not included, and at most ${RANGE_DAYS_MAX} days after \`from\`.`,
  scopes: ['read'],
  query: { schema: dueQuery, example: { from: '2026-12-24', to: '2026-12-25' } },
  replies: [
    jsonReply(200, 'At most 200 entries.', dueListReply, {
      due: [
        {
          notification_id: NOTIFICATION_ID,
          kind: 'notification',
          at: '2026-12-24T08:00:00.000Z',
          until: '2026-12-24T08:00:00.000Z',
          local_time: null,
          time_zones: [],
          title: 'Merry Christmas',
          alert: null,
          audience: { id: audience.id, name: audience.name },
          devices: null,
        },
      ],
      single_count: 3,
      searched_until: null,
    }),
  ],
  handle: async ({ db }, { caller, query }) => listDue(db, caller.appId, query),
});
