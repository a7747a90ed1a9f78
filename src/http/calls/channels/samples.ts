/** Values for the examples of calls of channels. */
import { CHANNEL_ID, CREATED_AT, ENDED_AT, STARTED_AT } from '../samples.ts';

const APNS_CHANNEL_ID = 'dHN0LXNyY2gtY2hubA==';

export const newChannel = { key: 'match-4711', environment: 'production', storage: 'latest' };

export const channel = {
  id: CHANNEL_ID,
  ...newChannel,
  state: 'open',
  apns_channel_id: APNS_CHANNEL_ID,
  created_at: CREATED_AT,
  used_at: CREATED_AT,
  ended_at: null,
  last_sent_at: null,
};

export const newBroadcast = {
  event: 'update',
  content_state: { home: 1, away: 0, minute: 37 },
  stale_date: '2026-11-21T09:45:00Z',
  time_to_live: 3_600,
};

export const broadcast = {
  id: '6f2d7c1a-3b58-4a0e-9d1c-5e8f7a6b4c3d',
  event: 'update',
  state: 'waiting',
  priority: 'high',
  timestamp: null,
  created_at: STARTED_AT,
  expires_at: '2026-11-21T10:30:00.241Z',
  attempts: 0,
  reason: null,
  explanation: null,
  ended_at: null,
};

export const sentBroadcast = {
  ...broadcast,
  state: 'sent',
  timestamp: '2026-11-21T09:30:00.000Z',
  attempts: 1,
  ended_at: ENDED_AT,
};

export const comparison = {
  at_apple: 2,
  here: 1,
  missing: [],
  unknown: ['eCN0LXNyY2gtY2hubA=='],
};
