-- The second factor of users who sign in with a password (docs/decisions/0025-console-sign-in.md).

create table console_second_factors (
  user_id uuid primary key references console_users on delete cascade,
  sealed_secret bytea not null, -- of time-based codes (RFC 6238), sealed with SECRET_KEY
  created_at timestamptz not null,
  confirmed_at timestamptz, -- null: the user has not entered a code yet, so it is not asked for
  last_step bigint not null default 0, -- the newest step of 30 s whose code was used: no code counts twice
  recovery_hashes bytea[] not null default '{}' -- SHA-256 of the recovery codes that are not used
);
