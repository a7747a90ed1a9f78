/** Values for the examples of the audience calls. They extend the values of all calls. */
import { audience, audienceSummary, device, NOTIFICATION_ID } from '../samples.ts';

const COUNTED_AT = audienceSummary.created_at;

export const listedAudience = {
  ...audienceSummary,
  kind: 'named',
  last_used_at: audienceSummary.created_at,
  filters: audience.filters,
};

export const audienceUse = {
  id: NOTIFICATION_ID,
  state: 'scheduled',
  created_at: audienceSummary.created_at,
  due_at: '2026-11-22T08:00:00.000Z',
};

export const countOfEach = {
  device_count: 1,
  reachable_count: 1,
  filters: [
    { name: 'locale', device_count: 40, left_count: 40 },
    { name: 'app_version', device_count: 25, left_count: 17 },
    { name: 'location', device_count: 3, left_count: 2 },
    { name: 'tags', device_count: 80, left_count: 1 },
  ],
  counted_at: COUNTED_AT,
};

export const explanation = {
  matches: true,
  filters: [
    {
      name: 'locale',
      matches: true,
      not_filter: false,
      value: device.locale,
      criteria: [
        { criterion: 'en_GB', matches: true },
        { criterion: 'fr_FR', matches: false },
      ],
      criteria_count: 2,
    },
  ],
};
