/** Ways to get an address wrong. `<device>` and the like stand for ids that exist. */
import type { Call } from '../api.ts';
import { type BadCall, events, NO_ID } from './call.ts';

const body = { device: { badge: 1 } };
const unknownIds = [NO_ID, 'x', '1', '%00', 'a%2Fb', '%F0%9F%92%A9', "'--", NO_ID.slice(1), `${NO_ID}0`];
/** Ids that name nothing the app has: 404, whatever their form. */
export const badAddresses: BadCall[] = [
  ...unknownIds.flatMap((id): [string, Call][] => [
    [`GET /v6/notifications/${id}`, {}],
    [`POST /v6/notifications/${id}/cancel`, {}],
    [`GET /v6/notifications/${id}/deliveries/<device>`, {}],
    [`POST /v6/notifications/${id}/opens`, { body: { device_id: NO_ID } }],
    [`GET /v6/stats/notifications/${id}/events`, {}],
    [`GET /v6/audiences/${id}`, {}],
    [`GET /v6/devices/${id}`, {}],
    [`GET /v6/devices/${id}/push-token`, {}],
    [`GET /v6/devices/${id}/pushes`, {}],
    [`GET /v6/notifications/${id}/deliveries/<device>/explanation`, {}],
    [`PUT /v6/devices/${id}`, { body }],
    [`DELETE /v6/devices/${id}`, {}],
    [`POST /v6/devices/${id}/events`, events({ name: 'a' })],
    [`POST /v6/users/${id}/events`, events({ name: 'a' })],
    [`GET /v6/users/${id}/pushes`, {}],
    [`PUT /v6/users/${id}`, { body: { user: { custom: {} } } }],
  ]),
  [`GET /v6/notifications/<notification>/deliveries/x`, {}] satisfies [string, Call],
].map(([address, call]) => [address, call, 'not_found']);

const SIZES = ['per=0', 'per=-1', 'per=101', 'per=x'];
const PAGES = ['page=0', 'page=-1', 'page=x', 'page=1.5', 'page=1&page=2', `page=${'9'.repeat(20)}`];
const CURSORS = ['cursor=x', 'cursor='];
const queries: [path: string, queries: string[]][] = [
  ['notifications', [...SIZES, 'per=', 'per=1.5', 'per=1&per=2', 'per=%00', 'per=%E0%A4%A', ...CURSORS]],
  ['devices/<device>/pushes', [...CURSORS, 'per=10']],
  ['users/ada/pushes', CURSORS],
  ['audiences', [...SIZES, ...PAGES]],
];

/** Queries that break a rule of the list they are for. */
export const badQueries: BadCall[] = queries.flatMap(([path, bad]) =>
  bad.map((query): BadCall => [`GET /v6/${path}?${query}`, {}, query.slice(0, query.indexOf('='))]),
);

/** Requests for missing resources, with their sentences. */
export const missing: [address: string, call: Call, sentence: string][] = [
  ['GET /v6/notifications/x/deliveries/<device>', {}, 'There is no such notification.'],
  [`GET /v6/notifications/${NO_ID}/deliveries/<device>`, {}, 'There is no such notification.'],
  ['GET /v6/notifications/<notification>/deliveries/x', {}, 'There is no such device.'],
  [`GET /v6/notifications/${NO_ID}`, {}, 'There is no such notification.'],
  [`GET /v6/devices/${NO_ID}`, {}, 'There is no such device.'],
  [
    'POST /v6/users/nobody/events',
    events({ name: 'a' }),
    'The user does not exist: no device of the app has that user_id.',
  ],
  [
    'POST /v6/notifications',
    { body: { notification: { to: 'all', payload: { alert: 'x' } } } },
    'The app has no audience with the id in notification.to; "*" stands for all devices.',
  ],
];

/** Names that the call does not know, each with what is said of it. */
export const unknownNames: [address: string, sentence: string][] = [
  ['GET /v6/notifications?pre=1', 'pre is not a query parameter of this call: did you mean per?'],
  [
    'GET /v6/notifications?page=1',
    'page is not a query parameter of this call: this call takes per, cursor, state, id and text',
  ],
  ['GET /v6/audiences?per=1&Page=1', 'Page is not a query parameter of this call: did you mean page?'],
  ['GET /v6/audiences/<audience>?x', 'x is not a query parameter of this call: this call takes none'],
  [
    'GET /v6/audiences/<audience>/devices?cusror=a',
    'cusror is not a query parameter of this call: did you mean cursor?',
  ],
  ['GET /v6/devices/<device>?per=2', 'per is not a query parameter of this call: this call takes none'],
  ['DELETE /v6/devices/<device>?force', 'force is not a query parameter of this call: this call takes none'],
  [
    'POST /v6/notifications?dry_run=true',
    'dry_run is not a query parameter of this call: this call takes none',
  ],
  ['POST /v6/devices/import?x=1', 'x is not a query parameter of this call: this call takes none'],
  [
    'GET /v6/notifications?__proto__=1&toString=2',
    '__proto__ is not a query parameter of this call: this call takes per, cursor, state, id and text (and 1 more; see details)',
  ],
];
