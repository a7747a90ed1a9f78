-- Tokens by which an app's back end vouches for the user of a device (docs/decisions/0055-user-tokens.md).

alter table apps
  add identity_mode text not null default 'off' check (identity_mode in ('off', 'report', 'required')),
  add identity_set_at timestamptz, -- when the mode was last changed
  -- While the users that nobody vouched for are removed, after the mode became 'required': the last device that was looked at.
  add identity_checked_to uuid;

-- The keys that check the tokens: public keys, and shared secrets, sealed with SECRET_KEY.
create table identity_keys (
  app_id uuid not null references apps,
  key_id text not null, -- `kid` in the header of a token
  algorithm text not null check (algorithm in ('ES256', 'EdDSA', 'HS256')),
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (app_id, key_id)
);

alter table devices
  add user_verified_at timestamptz; -- when a token or a server vouched for the user that the device has; null: nobody did

-- Whatever changes the user of a device, or the phone that is behind it, without vouching for the user ends the earlier proof.
-- Where it is required, named push tokens go with the user that they were registered for.
create function forget_earlier_user() returns trigger language plpgsql as $$
begin
  if new.user_verified_at is not distinct from old.user_verified_at then
    new.user_verified_at := null;
  end if;
  if (old.user_id is distinct from new.user_id or old.user_email is distinct from new.user_email)
    and exists (select from apps where id = new.app_id and identity_mode = 'required') then
    delete from named_tokens where app_id = new.app_id and device_id = new.id;
  end if;
  return new;
end $$;
create trigger forget_earlier_user before update of user_id, user_email, push_token on devices
  for each row
  when (
    old.user_id is distinct from new.user_id or old.user_email is distinct from new.user_email
    or old.user_verified_at is not null and new.push_token <> coalesce(old.push_token, '')
  )
  execute function forget_earlier_user();
