-- Apps and their devices. The key of every table begins with app_id, or refers to a table whose key does, so that tables can
-- be partitioned or distributed by app. Times are written by the application, to the millisecond.

-- A mobile app. `android_presentation`: 'data' sends data messages, which the app itself shows; 'system' lets Android show
-- them, with this small icon (a drawable of the app) and color (#rrggbb) if they are set.
create table apps (
  id uuid primary key,
  bundle_id text not null unique,
  name text not null,
  created_at timestamptz not null,
  android_presentation text not null default 'data' check (android_presentation in ('data', 'system')),
  android_icon text,
  android_color text
);

-- API keys. Only their hashes are stored: a key is shown once.
create table api_keys (
  id uuid primary key,
  app_id uuid not null references apps,
  hash bytea not null unique, -- SHA-256
  scopes text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);

-- Credentials for Apple and Google, encrypted with SECRET_KEY. Since 2025 an Apple key may be valid for one environment
-- only, so an app may have two; 'all' means a key for both environments, and is the only value for FCM.
create table gateway_credentials (
  app_id uuid not null references apps,
  gateway text not null check (gateway in ('apns', 'fcm')),
  environment text not null default 'all' check (environment in ('all', 'production', 'sandbox')),
  sealed bytea not null,
  version uuid not null, -- new with every replacement: workers compare it to reopen a gateway
  updated_at timestamptz not null,
  check (environment = 'all' or gateway = 'apns'),
  primary key (app_id, gateway, environment)
);

-- The state of a route (Apple's production, its sandbox, Google) with one version of its credentials. Replaced
-- credentials start with a row of their own.
create table route_states (
  app_id uuid not null references apps,
  route text not null check (route in ('apns_production', 'apns_sandbox', 'fcm')),
  version uuid not null,
  proven_at timestamptz, -- first time a push was accepted
  pause text check (pause in ('credentials', 'tokens')), -- why sending is paused; null if it is not paused
  pause_reason text,
  paused_at timestamptz,
  probes integer not null default 0, -- pushes tried during the pause
  probe_at timestamptz, -- earliest time of the next probe
  unguarded_until timestamptz, -- until then, dead tokens do not pause the route: an operator has confirmed that they are dead
  primary key (app_id, route, version)
);
create index route_states_paused on route_states (app_id) where pause is not null;

-- Installations of the app, one row per device.
create table devices (
  app_id uuid not null references apps,
  id uuid not null,
  platform text not null check (platform in ('iOS', 'Android')),
  push_token text,
  -- 'token': a registration token of APNs or FCM; 'fid': a Firebase installation id, which FCM accepts instead
  push_token_type text not null default 'token' check (push_token_type in ('token', 'fid')),
  token_registered_at timestamptz, -- when the app last sent the token; a gateway's timestamp is compared with it
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
  -- Two locations in degrees: a coarse one, reported by the app or found by GeoIP, and the GPS location.
  latitude double precision,
  longitude double precision,
  sdk_latitude double precision,
  sdk_longitude double precision,
  -- Whether country and location were found from the IP address of the app's calls. If so, they are updated as the device
  -- moves; reported ones stay.
  country_from_address boolean not null default false,
  location_from_address boolean not null default false,
  custom jsonb not null default '{}', -- {"<name>": {"type": "...", "value": ...}}; dates as UTC with milliseconds
  primary key (app_id, id)
);
create unique index devices_push_token on devices (app_id, push_token);
create index devices_user on devices (app_id, user_id) where user_id is not null;
create index devices_user_email on devices (app_id, user_email) where user_email is not null;
create index devices_unreachable on devices (app_id, id) where push_token is null;

-- Ids of erased devices: a call that updates one is answered with 451.
create table erased_devices (
  app_id uuid not null references apps,
  id uuid not null,
  erased_at timestamptz not null,
  primary key (app_id, id)
);

-- How often and when each event happened on a device.
create table device_events (
  app_id uuid not null,
  device_id uuid not null,
  name text not null, -- '<source>.<name>', or '<name>' for events of the SDK: the part of a filter's name after 'events.'
  count bigint not null,
  first_happened_at timestamptz not null,
  last_happened_at timestamptz not null,
  primary key (app_id, device_id, name),
  foreign key (app_id, device_id) references devices on delete cascade
);
-- Covers a filter on an event: counting reads only the index. It begins with the name, so that only the primary key begins
-- with the app, and no plan scans the app to look up one device.
create index device_events_name on device_events (name, app_id, device_id) include (count, last_happened_at);

-- The key by which an app's retired tokens are hashed and encrypted. It is encrypted with SECRET_KEY, so it stays the same
-- when SECRET_KEY is replaced.
create table token_keys (
  app_id uuid primary key references apps,
  sealed bytea not null
);

-- Push tokens that devices have lost. If a token returns, it identifies the same device
-- (docs/decisions/0015-retired-tokens.md).
create table retired_tokens (
  app_id uuid not null,
  token_hash bytea not null, -- HMAC-SHA-256 of the token with the app's token key
  device_id uuid not null, -- the last device that had it
  reason text not null, -- the gateway's reason, such as BadDeviceToken; or 'replaced'
  retired_at timestamptz not null,
  presented_at timestamptz, -- token_registered_at of the device while it had the token
  push_token_type text not null default 'token',
  encrypted_token bytea, -- the token itself, for 30 days, if a gateway retired it
  primary key (app_id, token_hash),
  foreign key (app_id, device_id) references devices on delete cascade
);
create index retired_tokens_device on retired_tokens (app_id, device_id);
create index retired_tokens_kept on retired_tokens (retired_at) where encrypted_token is not null;

-- Called by a registration that has just created a device for a token. The statement itself does not see a token that was
-- retired while it waited for a lock; this volatile function does, because it takes a new snapshot.
create function refuse_retired_token(the_app uuid, hash bytea) returns boolean
  language plpgsql volatile as $$
begin
  if exists (select from retired_tokens where app_id = the_app and token_hash = hash) then
    raise exception 'the token was retired meanwhile' using errcode = 'serialization_failure';
  end if;
  return true;
end $$;

-- Without statistics of app_id, the planner assumes 200 apps of equal size. With statistics that are older than an app, it
-- assumes that the app has one row, and may scan all rows of the app instead of looking up a key
-- (docs/decisions/0011-new-apps.md). The same holds for the other tables below that are read by key only.
alter table devices alter app_id set statistics 0;
alter table erased_devices alter app_id set statistics 0;
