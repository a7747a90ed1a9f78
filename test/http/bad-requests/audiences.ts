/** Ways to get a named audience or a count wrong. */
import { type BadCall, NO_ID } from './call.ts';

const audienceFilter = { name: 'tags', criteria: ['a'] };
export const createAudience: BadCall[] = [
  ['no audience', { body: { name: 'a', filters: [audienceFilter] } }, 'audience'],
  ['no name', { body: { audience: { filters: [audienceFilter] } } }, 'audience.name'],
  ['an empty name', { body: { audience: { name: '', filters: [audienceFilter] } } }, 'audience.name'],
  [
    'a long name',
    { body: { audience: { name: 'x'.repeat(256), filters: [audienceFilter] } } },
    'audience.name',
  ],
  ...['api_audience_1', 'API_audience_', 'All devices', ' all Devices '].map((name): BadCall => [
    `the name ${name} of one that the service makes`,
    { body: { audience: { name, filters: [audienceFilter] } } },
    'audience.name',
  ]),
  ['no filters', { body: { audience: { name: 'a' } } }, 'audience.filters'],
  ['an empty list of filters', { body: { audience: { name: 'a', filters: [] } } }, 'audience.filters'],
  [
    'a bad filter',
    { body: { audience: { name: 'a', filters: [{ name: 'x', criteria: [1] }] } } },
    'audience.filters[0].name',
  ],
  [
    'an unknown key next to it',
    { body: { audience: { name: 'a', filters: [audienceFilter], id: NO_ID } } },
    'audience.id',
  ],
];

export const countAudience: BadCall[] = [
  ['no filters', { body: { filter: [] } }, 'filters'],
  ['a bad filter', { body: { filters: [audienceFilter, { name: 'x', criteria: [1] }] } }, 'filters[1].name'],
  ['an unknown key next to them', { body: { filters: [audienceFilter], name: 'a' } }, 'name'],
];

export const explainFilters: BadCall[] = [
  ['no device', { body: { filters: [audienceFilter] } }, 'device_id'],
  ['a device that is a number', { body: { filters: [audienceFilter], device_id: 7 } }, 'device_id'],
  ['no filters', { body: { device_id: NO_ID } }, 'filters'],
  [
    'an unknown key next to them',
    { body: { filters: [audienceFilter], device_id: NO_ID, name: 'a' } },
    'name',
  ],
];
