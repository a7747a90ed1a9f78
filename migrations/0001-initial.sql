-- The first schema. Every table leads with app_id or hangs from one that does, so that it can be partitioned
-- or distributed by app without a redesign. Times are written by the application, to the millisecond.

create table apps (
  id uuid primary key,
  bundle_id text not null unique,
  name text not null,
  created_at timestamptz not null
);

create table api_keys (
  id uuid primary key,
  app_id uuid not null references apps,
  hash bytea not null unique, -- SHA-256 of the key; the key itself is shown once and never stored
  scopes text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);

create table gateway_credentials (
  app_id uuid not null references apps,
  gateway text not null check (gateway in ('apns', 'fcm')),
  sealed bytea not null,
  version uuid not null, -- changes with every replacement: workers compare it to reopen a gateway
  updated_at timestamptz not null,
  primary key (app_id, gateway)
);

create table devices (
  app_id uuid not null references apps,
  id uuid not null,
  platform text not null check (platform in ('iOS', 'Android')),
  push_token text,
  token_registered_at timestamptz, -- when the app last presented the token: what a gateway's timestamp is held against
  created_at timestamptz not null,
  registered_at timestamptz not null,
  locale text,
  time_zone text,
  badge integer,
  os_name text,
  os_version text,
  app_version text,
  sdk_version text,
  country text,
  marketing_name text,
  user_id text,
  user_email text,
  development boolean not null default false,
  notifications_allowed text not null default 'Unknown'
    check (notifications_allowed in ('Enabled', 'Disabled', 'Unknown')),
  tags text[] not null default '{}',
  -- GeoIP (or whatever the app reports as its coarse place) and GPS, in degrees
  latitude double precision,
  longitude double precision,
  sdk_latitude double precision,
  sdk_longitude double precision,
  custom jsonb not null default '{}', -- {"<name>": {"type": "...", "value": ...}}; dates as UTC with milliseconds
  primary key (app_id, id)
);
create unique index devices_push_token on devices (app_id, push_token);
create index devices_user on devices (app_id, user_id) where user_id is not null;

-- What is left of a device after its erasure: its id, so that an update can be answered with 451.
create table erased_devices (
  app_id uuid not null references apps,
  id uuid not null,
  erased_at timestamptz not null,
  primary key (app_id, id)
);

create table device_events (
  app_id uuid not null,
  device_id uuid not null,
  name text not null, -- '<source>.<name>', or '<name>' for events of the SDK: what a filter says after 'events.'
  count bigint not null,
  first_happened_at timestamptz not null,
  last_happened_at timestamptz not null,
  primary key (app_id, device_id, name),
  foreign key (app_id, device_id) references devices on delete cascade
);
create index device_events_name on device_events (app_id, name, device_id);

create table audiences (
  app_id uuid not null references apps,
  id uuid not null,
  kind text not null check (kind in ('everyone', 'on_the_fly', 'named')),
  name text not null,
  filters jsonb not null, -- the canonical form
  fingerprint bytea not null, -- SHA-256 of the canonical form
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (app_id, id)
);
-- Same specification, same audience; named audiences may share one.
create unique index audiences_specification on audiences (app_id, fingerprint) where kind <> 'named';

create table notifications (
  app_id uuid not null references apps,
  id uuid not null,
  audience_id uuid not null,
  body text not null, -- the `notification` as submitted: text, because jsonb would reorder keys
  state text not null check (state in ('scheduled', 'sending', 'sent', 'canceled', 'failed', 'validated')),
  reason text,
  created_at timestamptz not null,
  due_at timestamptz not null, -- deliver_at, or the moment of creation
  started_at timestamptz,
  ended_at timestamptz,
  devices bigint not null default 0,
  accepted bigint not null default 0,
  rejected bigint not null default 0,
  unregistered bigint not null default 0,
  no_token bigint not null default 0,
  ambiguous bigint not null default 0,
  slices_left integer not null default 0,
  lane text not null default 'direct' check (lane in ('direct', 'bulk')),
  refused jsonb not null default '{}', -- gateways that refused the credentials: {"apns": "<reason>"}
  idempotency_key text,
  body_hash bytea,
  -- What is kept by device goes some months after the end (delivery/prune.ts); the row and its counters stay.
  pruned_at timestamptz,
  opens_pruned bigint not null default 0, -- opens whose rows are gone: they still count
  primary key (app_id, id),
  foreign key (app_id, audience_id) references audiences
);
create index notifications_newest on notifications (app_id, created_at desc, id desc);
create unique index notifications_idempotency on notifications (app_id, idempotency_key)
  where idempotency_key is not null;
create index notifications_due on notifications (due_at) where state = 'scheduled';
create index notifications_sending on notifications (app_id, id) where state = 'sending';
-- What pruning has still to look at, the longest ended first.
create index notifications_unpruned on notifications (ended_at) where pruned_at is null and ended_at is not null;

create table delivery_slices (
  app_id uuid not null,
  notification_id uuid not null,
  number integer not null,
  first_id uuid not null, -- both ends of the device id range belong to the slice
  last_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'leased', 'done')),
  not_before timestamptz not null,
  attempt integer not null default 0, -- rises with every lease: who records must still hold his
  lease_until timestamptz,
  outcomes bytea, -- packed: device ids, outcomes, reasons, times (delivery/outcomes.ts)
  finished_at timestamptz,
  primary key (app_id, notification_id, number),
  foreign key (app_id, notification_id) references notifications on delete cascade
);
create index delivery_slices_unfinished on delivery_slices (app_id, notification_id, number)
  where state <> 'done';

-- How fast the project behind a gateway may be sent to (delivery/pace.ts). By project and not by app: apps
-- that share a Google project share its quota.
create table gateway_paces (
  project text primary key,
  allowance double precision not null, -- pushes that may go at refilled_at; negative is a debt
  refilled_at timestamptz not null,
  paused_until timestamptz
);

create table opens (
  app_id uuid not null,
  notification_id uuid not null,
  device_id uuid not null,
  opened_at timestamptz not null,
  primary key (app_id, notification_id, device_id),
  foreign key (app_id, notification_id) references notifications on delete cascade
);

-- '14.0' → {14}; '3.10-beta' → {3,10}; 'unknown' → null: a dotted version as numbers without trailing zeros,
-- so that arrays compare as versions do. ASCII digits alone, and few enough of them for any numeric.
create function version_key(version text) returns numeric[]
  language sql immutable strict parallel safe
  return string_to_array(
    regexp_replace(substring(left(version, 255) from '^[0-9]+(?:\.[0-9]+)*'), '(\.0+)+$', ''), '.')::numeric[];

-- Ranges of versions: `version_key(os_version) <@ '{["{3,1}","{4}")}'::version_multirange`.
create type version_range as range (subtype = numeric[], multirange_type_name = version_multirange);
