/** Examples of keys, credentials and the audit log, with the ids of the other samples. */
import { CREATED_AT, ENDED_AT, KEY_ID, NOTIFICATION_ID, STARTED_AT } from '../samples.ts';

export const auditCursor = Buffer.from(`${CREATED_AT} ${KEY_ID}`).toString('base64url');

export const auditEntry = {
  id: '4a1d2f60-8f0c-4a53-8d55-0c6b8a0e6c11',
  at: ENDED_AT,
  by: { kind: 'key', id: KEY_ID, name: null },
  action: 'notification.canceled',
  object_id: NOTIFICATION_ID,
  object_name: 'Order shipped',
  before: { state: 'scheduled' },
  after: { state: 'canceled', accepted: 0 },
  address: '203.0.113.7',
  request_id: 'b3c6f0a2-9a5e-4f0e-8a37-6d1f5a0c2e4b',
};

export const apiKey = {
  id: KEY_ID,
  name: 'back end',
  scopes: ['read', 'write'],
  created_at: CREATED_AT,
  last_used_at: STARTED_AT,
  revoked_at: null,
};

export const newApiKey = {
  ...apiKey,
  last_used_at: null,
  secret: 'carillon_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
};

export const storedCredentials = {
  credentials: [
    {
      gateway: 'apns',
      environment: 'all',
      stored_at: CREATED_AT,
      readable: true,
      key_id: 'ABCDEFGHIJ',
      team_id: 'KLMNOPQRST',
      project_id: null,
      public_key: null,
      identity: 'key',
    },
  ],
  routes: [
    { route: 'apns_production', credentials: 'all', works: true, pause: null, last_refusal: null },
    {
      route: 'apns_sandbox',
      credentials: 'all',
      works: false,
      pause: null,
      last_refusal: {
        reason: 'BadEnvironmentKeyInToken',
        at: CREATED_AT,
        notification_id: NOTIFICATION_ID,
      },
    },
    { route: 'fcm', credentials: null, works: false, pause: null, last_refusal: null },
    { route: 'web_push', credentials: null, works: false, pause: null, last_refusal: null },
  ],
};

/** The example of RFC 8292. */
export const webPushKey = {
  public_key: 'BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs',
};
