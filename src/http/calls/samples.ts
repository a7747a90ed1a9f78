/** Values for the examples in the API document: all examples show the same device, notification, audience and webhook. */
import { noOutcomes } from '../../delivery/outcomes/packed.ts';

export const NOTIFICATION_ID = 'a0cb688f-908b-4799-94e8-72e8837799c2';
export const AUDIENCE_ID = '91c398d5-b664-4de6-983c-2aef7856a2a2';
export const DEVICE_ID = '2a86153d-e332-49e6-83fd-646951a710e4';
export const CHANNEL_ID = '3c1b7e52-8f0d-4a7e-b3c6-2d9e5f4a1b08';
export const WEBHOOK_ID = '0e2c1c5e-63f4-4f0b-8a35-5b6f7c1d2e90';
export const CONSOLE_USER_ID = '5b0f4c1e-9d5e-4b8e-8f7a-2f1f0a9c3d11';
export const DELIVERY_ID = 'c5d7a2c4-1f0e-4b52-9d0a-0a5a4fb6c1de';
export const USER_ID = 'user-17';
export const USER_TOKEN = 'eyJhbGciOiJFUzI1NiIsImtpZCI6IjIwMjYtMTEifQ.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl';
export const KEY_ID = 'd9b1c0c2-7a55-4f3e-9c1d-3f1a8a6f0b52';

export const CREATED_AT = '2026-11-21T09:30:00.123Z';
export const STARTED_AT = '2026-11-21T09:30:00.241Z';
export const ENDED_AT = '2026-11-21T09:30:00.785Z';

export const deviceCursor = Buffer.from(DEVICE_ID).toString('base64url');
export const outcomeCursor = Buffer.from(`${DEVICE_ID}/0`).toString('base64url');
export const audienceCursor = Buffer.from(`${CREATED_AT} ${AUDIENCE_ID}`).toString('base64url');
export const notificationCursor = Buffer.from(`${CREATED_AT} ${NOTIFICATION_ID}`).toString('base64url');

const attributes = {
  platform: 'Android',
  push_token: 'fGhJ7kQ2:APA91bF-sample',
  locale: 'en_GB',
  script: null,
  time_zone: 'Europe/London',
  quiet_hours: { from: '22:00', to: '07:00' },
  os_name: 'Android',
  os_version: '16',
  app_version: '2.10.1',
  marketing_name: 'Pixel 10',
  user_id: USER_ID,
  notifications_allowed: 'Enabled',
  tags: ['beta', 'news'],
  location: { latitude: 51.5072, longitude: -0.1276 },
  custom: { visits: { type: 'integer', value: 41 }, teams: { type: 'string', value: ['reds', 'blues'] } },
};

export const registration = { device: attributes };

export const device = {
  id: DEVICE_ID,
  ...attributes,
  push_token_type: 'token',
  created_at: CREATED_AT,
  registered_at: CREATED_AT,
  badge: null,
  sdk_version: null,
  country: null,
  user_email: null,
  encryption_key: null,
  sdk_location: null,
  development: false,
  events: {},
};

export const customPlan = { plan: { type: 'string', value: 'gold' } };

export const deviceEvents = {
  events: [{ name: 'purchase', date: '2026-11-20T18:30:00Z' }, { name: 'viewed_offer' }],
};

export const filters = [
  { name: 'locale', criteria: ['en_GB', 'fr_FR'] },
  { name: 'app_version', criteria: [{ gte: '2.0' }] },
  { name: 'location', criteria: [{ point: { latitude: 51.5, longitude: -0.1 }, distance: 25, unit: 'km' }] },
  { name: 'tags', criteria: ['muted'], not_filter: true },
];

const audienceSummary = {
  id: AUDIENCE_ID,
  name: 'Around London',
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
  test: false,
};

export const audience = {
  ...audienceSummary,
  device_count: 1,
  reachable_count: 1,
  filters: [
    { name: 'app_version', criteria: [{ gte: '2.0' }], not_filter: false },
    { name: 'locale', criteria: ['en_GB', 'fr_FR'], not_filter: false },
    {
      name: 'location',
      criteria: [{ point: { latitude: 51.5, longitude: -0.1 }, distance: 25, unit: 'km' }],
      not_filter: false,
    },
    { name: 'tags', criteria: ['muted'], not_filter: true },
  ],
};

export const listedAudience = {
  ...audienceSummary,
  kind: 'named',
  last_used_at: CREATED_AT,
  filters: audience.filters,
};

export const audienceUse = {
  id: NOTIFICATION_ID,
  state: 'scheduled',
  created_at: CREATED_AT,
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
  counted_at: CREATED_AT,
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

export const notificationRequest = {
  notification: {
    to: filters,
    payload: { title: 'Order 4711', alert: 'It is on its way.', order_id: 4711 },
    time_to_live: 3600,
    priority: 'high',
  },
};

export const createdNotification = {
  created_at: CREATED_AT,
  state: 'scheduled',
  id: NOTIFICATION_ID,
  to: { id: AUDIENCE_ID, type: 'Audience' },
  ...notificationRequest,
};

const UNKNOWN_ID = 'b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11';

export const batchRequest = [
  { ...notificationRequest, idempotency_key: 'order-4711-shipped' },
  { notification: { to: { audience: UNKNOWN_ID }, payload: { alert: 'Hello' } } },
];

const { notification: _sent, ...stored } = createdNotification;

export const batchReply = [
  { line: 1, status: 201, ...stored },
  {
    line: 2,
    status: 404,
    error: 'The app has no audience with the id in notification.to; "*" stands for all devices.',
    code: 'not_found',
  },
];

export const progress = {
  at: '2026-11-21T09:30:04.241Z',
  state: 'sending',
  reason: null,
  due_at: CREATED_AT,
  started_at: STARTED_AT,
  ended_at: null,
  devices: 240_000,
  ...noOutcomes,
  left_out: 0,
  accepted: 38_700,
  rejected: 12,
  unregistered: 288,
  no_token: 1_000,
  pending: 200_000,
  held: 0,
  per_second: 10_000,
  estimated_seconds_left: 20,
  limit: {
    code: 'google_quota',
    sentence:
      'Google’s quota: 10,000 pushes per second (600,000 per minute) for all apps of this Firebase project.',
    until: null,
  },
};

/** The notification after it was sent. */
export const sentNotification = {
  ...createdNotification,
  state: 'sent',
  to: { ...createdNotification.to, name: 'api_audience_8d84d6de983c2aef' },
  made_by: { type: 'key', id: KEY_ID, name: null },
  reason: null,
  due_at: CREATED_AT,
  started_at: STARTED_AT,
  ended_at: ENDED_AT,
  devices: 1,
  ...noOutcomes,
  left_out: 0,
  accepted: 1,
  pending: 0,
  held: 0,
  estimated_seconds_left: null,
};

export const stats = {
  id: NOTIFICATION_ID,
  audience_id: AUDIENCE_ID,
  push_text: 'It is on its way.',
  published_time: STARTED_AT,
  direct_opens: 1,
  opens: 1,
  pushes_succeeded: 1,
  pushes_rejected: 0,
};

export const webhook = {
  id: WEBHOOK_ID,
  url: 'https://example.com/carillon',
  events: ['notification.sent', 'notification.failed', 'device.unregistered'],
  created_at: CREATED_AT,
  failing_since: null,
  last_failure: null,
  waiting_events: 0,
};

export const newWebhook = { ...webhook, secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' };

export const webhookDelivery = {
  id: DELIVERY_ID,
  type: 'notification.sent',
  state: 'delivered',
  created_at: ENDED_AT,
  attempts: 1,
  last_status: 204,
  last_error: null,
  next_attempt_at: null,
  ended_at: '2026-11-21T09:30:01.402Z',
};

export const consoleUser = {
  id: CONSOLE_USER_ID,
  name: 'ben@example.com',
  role: 'viewer',
  signs_in: 'password',
  second_factor: true,
  created_at: CREATED_AT,
};

export const consoleInvite = {
  token: 'k3v0lGJ3nqkq6cWn2H9sKc1m0mQv7yQzB1b8Wm2xT4A',
  expires_at: '2026-11-24T09:30:00.123Z',
};

export const consoleSession = {
  id: '9c1d1d0e-61c2-4d57-a3b5-0a7d2f5b6c42',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  created_at: CREATED_AT,
  last_used_at: '2026-11-21T10:15:00.000Z',
  expires_at: '2026-11-28T09:30:00.123Z',
};
