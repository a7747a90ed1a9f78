/** The replies of the API that these screens read; /openapi.json describes them. */

export interface Place {
  latitude: number;
  longitude: number;
}

export interface Device {
  id: string;
  platform: 'iOS' | 'Android';
  push_token: string | null;
  push_token_type: 'token' | 'fid';
  locale: string | null;
  time_zone: string | null;
  quiet_hours: { from: string; to: string; days?: readonly string[] } | null;
  created_at: string;
  registered_at: string;
  badge: number | null;
  os_name: string | null;
  os_version: string | null;
  app_version: string | null;
  sdk_version: string | null;
  country: string | null;
  marketing_name: string | null;
  user_id: string | null;
  user_email: string | null;
  development: boolean;
  notifications_allowed: 'Enabled' | 'Disabled' | 'Unknown';
  tags: readonly string[];
  location: Place | null;
  sdk_location: Place | null;
  custom: Readonly<Record<string, { type: string; value: unknown }>>;
  events: Readonly<Record<string, { count: number; first_happened_at: string; last_happened_at: string }>>;
}

export type Match = 'id' | 'push_token' | 'retired_push_token' | 'user_id' | 'user_email' | 'user_id_prefix';

export interface FoundDevice {
  match: Match;
  device: Device;
}

export interface FoundDevices {
  devices: readonly FoundDevice[];
  more: boolean;
  erased_at: string | null;
}

export interface TokenState {
  state: 'live' | 'set_aside' | 'retired' | 'none';
  route: 'apns_production' | 'apns_sandbox' | 'fcm';
  push_token_type: 'token' | 'fid' | null;
  presented_at: string | null;
  retired: readonly {
    push_token_type: 'token' | 'fid';
    reason: string;
    retired_at: string;
    presented_at: string | null;
    kept: boolean;
  }[];
}

/** Push tokens for other push types than alerts. */
export interface NamedTokens {
  tokens: readonly { token_type: string; token_name: string; registered_at: string }[];
}

export interface PastOutcome {
  notification_id: string;
  created_at: string;
  title: string | null;
  alert: string | null;
  outcome:
    'accepted' | 'rejected' | 'unregistered' | 'no_token' | 'ambiguous' | 'dropped' | 'expired' | 'capped';
  reason: string | null;
  /** The variant of an A/B test, or `hold_out`; null if the notification is no A/B test. */
  variant: string | null;
  explanation: string;
  at: string;
  opened_at: string | null;
}

export interface DeviceOutcomes {
  outcomes: readonly PastOutcome[];
  meta: {
    cursor: string | null;
    searched: { notifications: number; no_longer_kept: number; since: string | null };
  };
}

export interface Explanation {
  notification_id: string;
  device_id: string;
  outcome: PastOutcome['outcome'] | null;
  /** Apple's id of a push to a development device. */
  apns_unique_id: string | null;
  /** The variant of an A/B test, and why the device has it. */
  variant: { name: string; sentence: string } | null;
  causes: readonly { code: string; sentence: string; at: string | null }[];
  audience: {
    matches: boolean;
    filters: readonly { name: string; matches: boolean; not_filter: boolean; value: unknown }[];
  } | null;
}
