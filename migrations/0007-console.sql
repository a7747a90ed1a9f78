-- What the console needs. Releases before this one run on it unchanged.

-- Who made a notification: the id of an API key, or of a user of the console; null if it was made before this migration.
alter table notifications add made_by uuid;

-- Devices by outcome and reason among the outcomes of a slice, {"rejected": {"BadTopic": 3}}; '' stands for no reason. Null
-- until an attempt ends, and if a release before this one ended it.
alter table delivery_slices add tally jsonb;

-- Users and sign-in (src/console/accounts). A user may work on several apps, so users and sessions have no app_id.

create table console_users (
  id uuid primary key,
  name text not null,
  password_hash text, -- argon2id with its salt and parameters, as $argon2id$…; null until the user has chosen a password
  -- The user at an OpenID provider; null for users that sign in with a password.
  issuer text,
  subject text,
  created_at timestamptz not null,
  check ((issuer is null) = (subject is null))
);
create unique index console_users_name on console_users (lower(name));
create unique index console_users_subject on console_users (issuer, subject) where issuer is not null;

create table console_roles (
  app_id uuid not null references apps,
  user_id uuid not null references console_users on delete cascade,
  role text not null check (role in ('viewer', 'sender', 'admin')),
  primary key (app_id, user_id)
);
create index console_roles_user on console_roles (user_id);

-- A row per signed-in browser. A session ends with its row, at expires_at, or when it has not been used for a while.
create table console_sessions (
  id uuid primary key,
  user_id uuid not null references console_users on delete cascade,
  hash bytea not null unique, -- SHA-256 of the secret in the cookie
  user_agent text, -- as sent by the browser, cut
  created_at timestamptz not null,
  last_used_at timestamptz not null, -- to the minute
  expires_at timestamptz not null
);
create index console_sessions_user on console_sessions (user_id);
create index console_sessions_expires on console_sessions (expires_at);

-- One-time links. A row is deleted when its link is used.
create table console_invites (
  hash bytea primary key, -- SHA-256 of the secret in the link
  user_id uuid not null references console_users on delete cascade,
  sets_password boolean not null, -- false: the link signs in without a password
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index console_invites_user on console_invites (user_id);
create index console_invites_expires on console_invites (expires_at);

-- Audiences: the list of named audiences of an app that also has many made on the fly.
create index audiences_named on audiences (app_id, created_at, id) where kind = 'named' and deleted_at is null;

-- The audit log: who changed what, from where and when (src/audit). Entries hold no secrets, push tokens, payloads or
-- e-mail addresses.
create table audit_log (
  app_id uuid not null references apps,
  id uuid not null,
  at timestamptz not null,
  by_kind text not null check (by_kind in ('key', 'user', 'command_line')),
  by_id text not null, -- of the key or the user; 'command_line'
  by_name text, -- the name of the user or of the key at that time; null if it had none
  action text not null, -- such as 'key.revoked'
  object_id text, -- what was changed; null if it has no id
  before jsonb, -- the changed parts; null if there was nothing before
  after jsonb, -- null if there is nothing afterwards
  address text, -- the IP address of the caller; null for the command line
  request_id text, -- null for the command line
  primary key (app_id, id)
);
create index audit_log_newest on audit_log (app_id, at desc, id desc);
create index audit_log_by on audit_log (app_id, by_id, at desc, id desc);
create index audit_log_action on audit_log (app_id, action, at desc, id desc);
create index audit_log_object on audit_log (app_id, object_id, at desc, id desc) where object_id is not null;
alter table audit_log alter app_id set statistics 0;

create function refuse_change_of_audit_log() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change_of_audit_log();

-- The name of a key, for the people who read who did what. Keys of earlier releases have none.
alter table api_keys add name text;

-- The overview (src/overview). A job counts what happened in each hour; it counts the latest hours again until they are past.
-- Days are made of hours, in the zone of the reader.
create table hourly_counts (
  app_id uuid not null references apps,
  hour timestamptz not null, -- its beginning
  notifications bigint not null, -- that ended in it; without dry runs
  devices bigint not null, -- theirs, as the counters that follow
  accepted bigint not null,
  rejected bigint not null,
  unregistered bigint not null,
  no_token bigint not null,
  ambiguous bigint not null,
  opens bigint not null, -- reported in it, of any notification
  primary key (app_id, hour)
);
alter table hourly_counts alter app_id set statistics 0;
-- The time up to which the hours of an app are counted.
create table hourly_counts_until (
  app_id uuid primary key references apps,
  until timestamptz not null
);
-- Opens are stored in the order of their times, so an index of a few pages finds those of an hour.
create index opens_opened_at on opens using brin (opened_at) with (autosummarize = on);

-- The devices of an app on a day (UTC): the last count of that day.
create table daily_devices (
  app_id uuid not null references apps,
  day date not null,
  counted_at timestamptz not null,
  took_ms integer not null, -- a count that took long is repeated later
  devices bigint not null,
  unreachable bigint not null, -- without a push token
  active bigint not null, -- registered within the last 30 days
  -- Devices by platform, by version of the system and of the app: the largest groups of each. Null on days before the last one.
  groups jsonb,
  primary key (app_id, day)
);
alter table daily_devices alter app_id set statistics 0;
