-- What is kept of a push token that a device has lost, so that the token leads to the same device when it comes back
-- (docs/decisions/0015-retired-tokens.md).

-- The key of an app that its retired tokens are hashed and encrypted by; itself sealed with SECRET_KEY, so that it stays
-- the same when that is replaced.
create table token_keys (
  app_id uuid primary key references apps,
  sealed bytea not null
);

create table retired_tokens (
  app_id uuid not null,
  token_hash bytea not null, -- HMAC-SHA-256 of the token, by a key that is not in the database in plain
  device_id uuid not null, -- the last device that had it
  reason text not null, -- the gateway's, such as BadDeviceToken; or 'replaced'
  retired_at timestamptz not null,
  presented_at timestamptz, -- token_registered_at of the device while it had the token
  push_token_type text not null default 'token',
  encrypted_token bytea, -- the token itself, for 30 days, where a gateway retired it
  primary key (app_id, token_hash),
  foreign key (app_id, device_id) references devices on delete cascade
);
create index retired_tokens_device on retired_tokens (app_id, device_id);
create index retired_tokens_kept on retired_tokens (retired_at) where encrypted_token is not null;

-- Asked when a registration has just made a device of a token. A token that was retired while the registration waited
-- for it is not seen by the statement itself, which looks at the database as it was when it began; a function that is
-- volatile looks at it as it is now.
create function refuse_retired_token(the_app uuid, hash bytea) returns boolean
  language plpgsql volatile as $$
begin
  if exists (select from retired_tokens where app_id = the_app and token_hash = hash) then
    raise exception 'the token was retired meanwhile' using errcode = 'serialization_failure';
  end if;
  return true;
end $$;

-- What kind of address the push token is: a registration token (of Apple's, or of FCM), or a Firebase installation id.
alter table devices add column push_token_type text not null default 'token'
  check (push_token_type in ('token', 'fid'));
