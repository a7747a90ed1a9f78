import type { ColumnType, Generated } from 'kysely';
import type { GatewayName, Platform, PushTokenType, Route } from '../route.ts';
import type { ChannelTables } from './feature-tables/channel-tables.ts';
import type { DeliveryTables } from './feature-tables/delivery-tables.ts';
import type {
  ConsoleInvitesTable,
  ConsoleSecondFactorsTable,
  ConsoleRolesTable,
  ConsoleSessionsTable,
  ConsoleUsersTable,
  DailyDevicesTable,
  HourlyCountsTable,
  HourlyCountsUntilTable,
} from './console-tables.ts';
import type {
  ActivityPushesTable,
  ApnsUniqueIdsTable,
  NamedTokensTable,
  ReceiptCountsTable,
  ReceiptMarksTable,
  ReceiptsUncountedTable,
} from './receipt-tables.ts';
import type { DeviceMomentChangesTable, DeviceQuietHours, NotificationWavesTable } from './wave-tables.ts';

/** The types of all tables; `migrations/` says what each column means. */
export interface Database extends ChannelTables, DeliveryTables {
  apps: AppsTable;
  api_keys: ApiKeysTable;
  identity_keys: IdentityKeysTable;
  audit_log: AuditLogTable;
  gateway_credentials: GatewayCredentialsTable;
  route_states: RouteStatesTable;
  devices: DevicesTable;
  erased_devices: ErasedDevicesTable;
  device_targets: DeviceTargetsTable;
  device_registrations: DeviceRegistrationsTable;
  custom_columns: CustomColumnsTable;
  device_events: DeviceEventsTable;
  token_keys: TokenKeysTable;
  retired_tokens: RetiredTokensTable;
  named_tokens: NamedTokensTable;
  audiences: AudiencesTable;
  notifications: NotificationsTable;
  notification_waves: NotificationWavesTable;
  device_moment_changes: DeviceMomentChangesTable;
  activity_pushes: ActivityPushesTable;
  cap_uses: CapUsesTable;
  gateway_paces: GatewayPacesTable;
  opens: OpensTable;
  receipts_uncounted: ReceiptsUncountedTable;
  receipt_marks: ReceiptMarksTable;
  receipt_counts: ReceiptCountsTable;
  apns_unique_ids: ApnsUniqueIdsTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  console_users: ConsoleUsersTable;
  console_roles: ConsoleRolesTable;
  console_sessions: ConsoleSessionsTable;
  console_invites: ConsoleInvitesTable;
  console_second_factors: ConsoleSecondFactorsTable;
  hourly_counts: HourlyCountsTable;
  hourly_counts_until: HourlyCountsUntilTable;
  daily_devices: DailyDevicesTable;
}

/** bigint columns come back as numbers: counts stay far below 2^53. */
type Count = Generated<number>;

/** JSON is written as text (`stringifyJson`) and read back parsed, without loss (`parseJson`). */
type JsonColumn = ColumnType<unknown, string, string>;

export interface AppsTable {
  id: string;
  bundle_id: string;
  name: string;
  created_at: Date;
  android_presentation: Generated<'data' | 'system'>;
  android_icon: Generated<string | null>;
  android_color: Generated<string | null>;
  quiet_hours: ColumnType<unknown, string | undefined, string | null>;
  /** Set by a trigger. */
  devices_have_quiet_hours: Generated<boolean>;
  frequency_caps: ColumnType<unknown, string | undefined, string>;
  identity_mode: Generated<'off' | 'report' | 'required'>;
  identity_set_at: Generated<Date | null>;
  identity_checked_to: Generated<string | null>;
}

interface IdentityKeysTable {
  app_id: string;
  key_id: string;
  algorithm: 'ES256' | 'EdDSA' | 'HS256';
  sealed: Buffer;
  created_at: Date;
}

export interface ApiKeysTable {
  id: string;
  app_id: string;
  hash: Buffer;
  scopes: string[];
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
  name: string | null;
}

/** Append-only: a trigger refuses updates and deletes. */
export interface AuditLogTable {
  app_id: string;
  id: string;
  at: Date;
  by_kind: 'key' | 'user' | 'command_line' | 'server';
  by_id: string;
  by_name: string | null;
  action: string;
  object_id: string | null;
  before: ColumnType<unknown, string | null, never>;
  after: ColumnType<unknown, string | null, never>;
  address: string | null;
  request_id: string | null;
}

export interface GatewayCredentialsTable {
  app_id: string;
  gateway: GatewayName;
  environment: Generated<'all' | 'production' | 'sandbox'>;
  sealed: Buffer;
  version: string;
  updated_at: Date;
}

export interface RouteStatesTable {
  app_id: string;
  route: Route;
  version: string;
  proven_at: Date | null;
  pause: 'credentials' | 'tokens' | null;
  pause_reason: string | null;
  paused_at: Date | null;
  probes: Generated<number>;
  probe_at: Date | null;
  unguarded_until: Date | null;
}

export interface DevicesTable {
  app_id: string;
  id: string;
  platform: Platform;
  push_token: string | null;
  push_token_type: Generated<PushTokenType>;
  /** Of a subscription: `<p256dh>.<auth>`. */
  subscription_keys: string | null;
  token_registered_at: Date | null;
  created_at: Date;
  registered_at: Date;
  locale: string | null;
  time_zone: string | null;
  quiet_hours: DeviceQuietHours | null;
  badge: number | null;
  kept_badge: number | null;
  os_name: string | null;
  os_version: string | null;
  app_version: string | null;
  sdk_version: string | null;
  country: string | null;
  marketing_name: string | null;
  user_id: string | null;
  user_email: string | null;
  user_verified_at: Date | null;
  encryption_key: string | null;
  development: Generated<boolean>;
  notifications_allowed: Generated<'Enabled' | 'Disabled' | 'Unknown'>;
  tags: Generated<string[]>;
  latitude: number | null;
  longitude: number | null;
  sdk_latitude: number | null;
  sdk_longitude: number | null;
  country_from_address: Generated<boolean>;
  location_from_address: Generated<boolean>;
  custom: ColumnType<unknown, string | undefined, string>;
}

/**
 * Read only: triggers on `devices` write it. Includes the rows of `device_targets_unindexed`. `targeting/rows/compile.ts`
 * names the columns that filters use.
 */
export interface DeviceTargetsTable {
  app_id: string;
  id: string;
  /** Null for browsers. */
  on_ios: boolean | null;
}

/** Read only, written by triggers like `device_targets`. Changes whenever a device registers. */
export interface DeviceRegistrationsTable {
  app_id: string;
  id: string;
  registered_at: Date;
}

/** Read only, written by triggers: the custom attributes that the columns of `device_targets` hold. */
export interface CustomColumnsTable {
  app_id: string;
  whole: string[];
  whole_types: string[];
  real: string[];
  flag: string[];
  text: string[];
  also_in_rest: string[];
}

export interface ErasedDevicesTable {
  app_id: string;
  id: string;
  erased_at: Date;
}

export interface TokenKeysTable {
  app_id: string;
  sealed: Buffer;
}

export interface RetiredTokensTable {
  app_id: string;
  token_hash: Buffer;
  device_id: string;
  reason: string;
  retired_at: Date;
  presented_at: Date | null;
  push_token_type: Generated<PushTokenType>;
  encrypted_token: Buffer | null;
}

export interface DeviceEventsTable {
  app_id: string;
  device_id: string;
  name: string;
  count: number;
  first_happened_at: Date;
  last_happened_at: Date;
}

export interface AudiencesTable {
  app_id: string;
  id: string;
  kind: 'everyone' | 'on_the_fly' | 'named';
  name: string;
  filters: JsonColumn;
  fingerprint: Buffer;
  /** Before the first edit. */
  first_filters: ColumnType<unknown, undefined, unknown>;
  created_at: Date;
  updated_at: Date;
  /** The day of the last use. */
  last_used_at: Generated<Date>;
  deleted_at: Date | null;
}

export interface NotificationsTable {
  app_id: string;
  id: string;
  audience_id: string | null;
  body: string;
  encrypted_body: ColumnType<Buffer | null, Buffer | undefined, null>;
  state: 'scheduled' | 'sending' | 'sent' | 'canceled' | 'failed' | 'validated';
  reason: string | null;
  created_at: Date;
  due_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  devices: Count;
  accepted: Count;
  rejected: Count;
  unregistered: Count;
  no_token: Count;
  ambiguous: Count;
  slices_left: Count;
  lane: Generated<'direct' | 'bulk'>;
  refused: ColumnType<unknown, string | undefined, string>;
  idempotency_key: string | null;
  body_hash: Buffer | null;
  pruned_at: Date | null;
  opens_pruned: Count;
  unsent: Generated<string[]>;
  request_id: string;
  traceparent: string | null;
  outcomes: ColumnType<Buffer | null, Buffer | undefined, Buffer | null>;
  filters: ColumnType<unknown, string | undefined, never>;
  planned_filters: ColumnType<unknown, undefined, string | null>;
  made_by: string | null;
  moment: ColumnType<unknown, string | undefined, never>;
  planned_in: ColumnType<string | null, undefined, string>;
  newest_device: ColumnType<Date | null, undefined, Date>;
  dropped: Count;
  expired: Count;
  capped: Count;
}

export interface CapUsesTable {
  app_id: string;
  cap_group: string;
  subject: string;
  uses: ColumnType<unknown, string, string>;
}

export interface GatewayPacesTable {
  project: string;
  allowance: number;
  refilled_at: Date;
  paused_until: Date | null;
}

export interface OpensTable {
  app_id: string;
  notification_id: string;
  device_id: string;
  opened_at: Date;
  /** Null if the notification is no A/B test, or the outcome was not saved yet. */
  variant: ColumnType<string | null, string | undefined, never>;
}

export interface WebhooksTable {
  app_id: string;
  id: string;
  url: string;
  events: string[];
  sealed_secret: Buffer;
  created_at: Date;
  failing_since: Generated<Date | null>;
  last_failure: Generated<string | null>;
}

export type WebhookDeliveryState = 'waiting' | 'delivered' | 'failed';

export interface WebhookDeliveriesTable {
  app_id: string;
  webhook_id: string;
  id: string;
  type: string;
  data: JsonColumn;
  state: Generated<WebhookDeliveryState>;
  created_at: Date;
  due_at: Date;
  attempt: Generated<number>;
  last_status: number | null;
  last_error: string | null;
  ended_at: Date | null;
}
