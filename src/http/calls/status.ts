/** The list of troubles, of the server and of the app of the caller. */
import { z } from 'zod';
import { toReply, troubleReply } from '../../status/trouble.ts';
import { callsWithKey, jsonReply } from '../call.ts';
import { ENDED_AT } from './samples.ts';

const call = callsWithKey('Service');

export const readStatusCall = call({
  id: 'readStatus',
  method: 'GET',
  path: '/v6/status',
  summary: 'Read what is wrong with the server and with the sending of the app',
  description:
    'Every process of the API looks each second, and serves the list from its memory. While the database does not answer, ' +
    '`/readyz` still serves those of the server.',
  scopes: ['read'],
  replies: [
    jsonReply(
      200,
      'The troubles, the worst first; none if all is well.',
      z.strictObject({ troubles: z.array(troubleReply) }).meta({ id: 'Status' }),
      {
        troubles: [
          {
            code: 'route_paused',
            since: ENDED_AT,
            what: 'Sending to Apple is paused: credentials that worked before are refused (InvalidProviderToken).',
            effect: 'Its devices wait, until the time to live of their pushes is over.',
            remedy: 'Remove the cause, then resume it.',
            link: 'settings/credentials',
            app: 'com.example.app',
            route: 'apns_production',
            notification_id: null,
            webhook_id: null,
          },
        ],
      },
    ),
  ],
  handle: async ({ status }, { caller }) => {
    await status.fresh();
    return { troubles: status.ofApp(caller.appId).map(toReply) };
  },
});
