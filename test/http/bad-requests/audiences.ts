/** Ways to get a named audience or a count wrong. */
import type { Call } from '../api.ts';
import { type BadCall, badValues, NO_ID } from './call.ts';

const filters = [{ name: 'tags', criteria: ['a'] }];
const audience = (fields: object): Call => ({ body: { audience: { name: 'a', filters, ...fields } } });
const RESERVED = ['api_audience_1', 'API_audience_', 'All devices', ' all Devices '];

export const createAudience: BadCall[] = [
  ['no audience', { body: { name: 'a', filters } }, 'audience'],
  ['no name', { body: { audience: { filters } } }, 'audience.name'],
  ['no filters', { body: { audience: { name: 'a' } } }, 'audience.filters'],
  ...badValues(
    'audience',
    { name: ['', 'x'.repeat(256), ...RESERVED], filters: [[]], id: [NO_ID] },
    audience,
  ),
  ['a bad filter', audience({ filters: [{ name: 'x', criteria: [1] }] }), 'audience.filters[0].name'],
];

export const countAudience: BadCall[] = [
  ['no filters', { body: { filter: [] } }, 'filters'],
  ['a bad filter', { body: { filters: [...filters, { name: 'x', criteria: [1] }] } }, 'filters[1].name'],
  ['an unknown key next to them', { body: { filters, name: 'a' } }, 'name'],
];

export const explainFilters: BadCall[] = [
  ['no device', { body: { filters } }, 'device_id'],
  ['a device that is a number', { body: { filters, device_id: 7 } }, 'device_id'],
  ['no filters', { body: { device_id: NO_ID } }, 'filters'],
  ['an unknown key next to them', { body: { filters, device_id: NO_ID, name: 'a' } }, 'name'],
];
