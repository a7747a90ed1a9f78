import type { ColumnType, Generated } from 'kysely';
import type { GatewayName, Platform, PushTokenType, Route } from '../route.ts';
import type { ChannelTables } from './feature-tables/channel-tables.ts';
import type { ConsoleTables } from './feature-tables/console-tables.ts';
import type { DeliveryTables } from './feature-tables/delivery-tables.ts';
import type { DeviceQuietHours, WaveTables } from './feature-tables/wave-tables.ts';

/** bigint columns come back as numbers: counts stay far below 2^53. */
type Count = Generated<number>;

/** JSON is written as text (`stringifyJson`) and read back parsed, without loss (`parseJson`). */
type JsonColumn = ColumnType<unknown, string, string>;

/** The types of all tables; `migrations/` says what each column means. */
export interface Database extends ChannelTables, ConsoleTables, DeliveryTables, WaveTables {
  apps: {
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
  };
  api_keys: {
    id: string;
    app_id: string;
    hash: Buffer;
    scopes: string[];
    created_at: Date;
    last_used_at: Date | null;
    revoked_at: Date | null;
    name: string | null;
  };
  identity_keys: {
    app_id: string;
    key_id: string;
    algorithm: 'ES256' | 'EdDSA' | 'HS256';
    sealed: Buffer;
    created_at: Date;
  };
  /** Append-only: a trigger refuses updates and deletes. */
  audit_log: {
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
  };
  gateway_credentials: {
    app_id: string;
    gateway: GatewayName;
    environment: Generated<'all' | 'production' | 'sandbox'>;
    sealed: Buffer;
    version: string;
    updated_at: Date;
  };
  route_states: {
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
  };
  devices: {
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
  };
  erased_devices: {
    app_id: string;
    id: string;
    erased_at: Date;
  };
  /**
   * Read only: triggers on `devices` write it. Includes the rows of `device_targets_unindexed`. `targeting/rows/compile.ts`
   * names the columns that filters use.
   */
  device_targets: {
    app_id: string;
    id: string;
    /** Null for browsers. */
    on_ios: boolean | null;
  };
  /** Read only, written by triggers like `device_targets`. Changes whenever a device registers. */
  device_registrations: {
    app_id: string;
    id: string;
    registered_at: Date;
  };
  /** Read only, written by triggers: the custom attributes that the columns of `device_targets` hold. */
  custom_columns: {
    app_id: string;
    whole: string[];
    whole_types: string[];
    real: string[];
    flag: string[];
    text: string[];
    also_in_rest: string[];
  };
  device_events: {
    app_id: string;
    device_id: string;
    name: string;
    count: number;
    first_happened_at: Date;
    last_happened_at: Date;
  };
  token_keys: {
    app_id: string;
    sealed: Buffer;
  };
  retired_tokens: {
    app_id: string;
    token_hash: Buffer;
    device_id: string;
    reason: string;
    retired_at: Date;
    presented_at: Date | null;
    push_token_type: Generated<PushTokenType>;
    encrypted_token: Buffer | null;
  };
  audiences: {
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
  };
  notifications: {
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
  };
  cap_uses: {
    app_id: string;
    cap_group: string;
    subject: string;
    uses: ColumnType<unknown, string, string>;
  };
  gateway_paces: {
    project: string;
    allowance: number;
    refilled_at: Date;
    paused_until: Date | null;
  };
  opens: {
    app_id: string;
    notification_id: string;
    device_id: string;
    opened_at: Date;
    /** Null if the notification is no A/B test, or the outcome was not saved yet. */
    variant: ColumnType<string | null, string | undefined, never>;
  };
  webhooks: {
    app_id: string;
    id: string;
    url: string;
    events: string[];
    sealed_secret: Buffer;
    created_at: Date;
    failing_since: Generated<Date | null>;
    last_failure: Generated<string | null>;
  };
  webhook_deliveries: {
    app_id: string;
    webhook_id: string;
    id: string;
    type: string;
    data: JsonColumn;
    state: Generated<'waiting' | 'delivered' | 'failed'>;
    created_at: Date;
    due_at: Date;
    attempt: Generated<number>;
    last_status: number | null;
    last_error: string | null;
    ended_at: Date | null;
  };
}

export type AudiencesTable = Database['audiences'];
export type DeviceEventsTable = Database['device_events'];
export type DevicesTable = Database['devices'];
export type NotificationsTable = Database['notifications'];
export type WebhookDeliveriesTable = Database['webhook_deliveries'];
