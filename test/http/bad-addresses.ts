/** Ways to get an address wrong. `<device>` and the like stand for ids that exist, `<their …>` for another app's. */
import type { Call } from './api.ts';
import { type BadCall, events, NO_ID } from './bad-call.ts';

const body = { device: { badge: 1 } };
const unknownIds = [NO_ID, 'x', '1', '%00', 'a%2Fb', '%F0%9F%92%A9', "'--", NO_ID.slice(1), `${NO_ID}0`];
const ofAnotherApp: [address: string, call: Call][] = [
  [`GET /v6/notifications/<notification>/deliveries/x`, {}],
  [`GET /v6/notifications/<their notification>`, {}],
  [`POST /v6/notifications/<their notification>/cancel`, {}],
  [`GET /v6/notifications/<their notification>/deliveries/<device>`, {}],
  [`POST /v6/notifications/<their notification>/opens`, { body: { device_id: NO_ID } }],
  [`GET /v6/stats/notifications/<their notification>/events`, {}],
  [`GET /v6/audiences/<their audience>`, {}],
  [`GET /v6/devices/<their device>`, {}],
  [`PUT /v6/devices/<their device>`, { body }],
  [`DELETE /v6/devices/<their device>`, {}],
  [`POST /v6/devices/<their device>/events`, events({ name: 'a' })],
];

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
    [`PUT /v6/devices/${id}`, { body }],
    [`DELETE /v6/devices/${id}`, {}],
    [`POST /v6/devices/${id}/events`, events({ name: 'a' })],
    [`POST /v6/users/${id}/events`, events({ name: 'a' })],
    [`PUT /v6/users/${id}`, { body: { user: { custom: {} } } }],
  ]),
  ...ofAnotherApp,
].map(([address, call]) => [address, call, 'not_found']);

/** Queries that break a rule of the list they are for. */
export const badQueries: BadCall[] = [
  ...[
    'per=0',
    'per=-1',
    'per=101',
    'per=x',
    'per=',
    'per=1.5',
    'per=1&per=2',
    'per=%00',
    'per=%E0%A4%A',
    'cursor=x',
    'cursor=',
  ].map((query): BadCall => [`GET /v6/notifications?${query}`, {}, nameOf(query)]),
  ...[
    'per=0',
    'per=-1',
    'per=101',
    'per=x',
    'page=0',
    'page=-1',
    'page=x',
    'page=1.5',
    'page=1&page=2',
    'page=99999999999999999999',
  ].map((query): BadCall => [`GET /v6/audiences?${query}`, {}, nameOf(query)]),
];

function nameOf(query: string): string {
  return query.slice(0, query.indexOf('='));
}
