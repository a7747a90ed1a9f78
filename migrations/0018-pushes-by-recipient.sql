-- Whom notifications are addressed to, so that the pushes of a device or a user are found at once
-- (docs/decisions/0049-pushes-by-recipient.md).

-- A recipient as a number of 48 bits. Two of an app hardly ever have the same one; a reader looks at the notification as well.
-- @param recipient 'device <id>', 'user <id>', 'email <address>', or 'many' (src/notifications/recipients.ts)
create function recipient_number(app_id uuid, recipient text) returns bigint language sql immutable parallel safe
  return hashtextextended(app_id::text || ' ' || recipient, 0) & 281474976710655;

-- The recipient and a day, which is in the upper 16 bits: what is written on one day is together, so it takes few pages at a time
-- and is removed as one range.
-- @param day days since 2000, in UTC
create function recipient_day(number bigint, day integer) returns bigint language sql immutable parallel safe
  return (day::bigint << 48) | number;

create function day_number(at timestamptz) returns integer language sql immutable parallel safe
  return (at at time zone 'UTC')::date - date '2000-01-01';

-- An entry for each recipient that a notification names, or one for 'many'. It has no foreign key, which would cost a look-up per
-- push; it is written by the statement that stores the notification.
create table notifications_by_recipient (
  recipient_day bigint not null, -- of the day of `created_at`
  created_at timestamptz not null,
  notification_id uuid not null,
  primary key (recipient_day, created_at, notification_id)
);

-- The days with entries, the newest first.
create function days_with_recipients() returns setof integer language sql stable parallel safe begin atomic
  select generate_series(newest.day, oldest.day, -1)
  from (select (recipient_day >> 48)::integer as day from notifications_by_recipient order by recipient_day desc limit 1) as newest,
    (select (recipient_day >> 48)::integer as day from notifications_by_recipient order by recipient_day limit 1) as oldest;
end;

-- Users and e-mail addresses that a device had earlier: pushes that were addressed to them may have gone to the device.
create table device_earlier_recipients (
  app_id uuid not null,
  device_id uuid not null,
  recipient bigint not null, -- recipient_number
  until timestamptz not null,
  primary key (app_id, device_id, recipient),
  foreign key (app_id, device_id) references devices on delete cascade
);
create index device_earlier_recipients_oldest on device_earlier_recipients (until);
alter table device_earlier_recipients alter app_id set statistics 0;

create function keep_earlier_recipients() returns trigger language plpgsql as $$
begin
  insert into device_earlier_recipients (app_id, device_id, recipient, until)
  select old.app_id, old.id, recipient_number(old.app_id, earlier.recipient), now()
  from (values ('user ' || old.user_id, old.user_id, new.user_id), ('email ' || old.user_email, old.user_email, new.user_email))
    as earlier (recipient, before, after)
  where earlier.before is distinct from earlier.after and earlier.before is not null
  on conflict (app_id, device_id, recipient) do update set until = excluded.until;
  return null;
end $$;

create trigger devices_keep_earlier_recipients after update of user_id, user_email on devices for each row
  when (old.user_id is distinct from new.user_id or old.user_email is distinct from new.user_email)
  execute function keep_earlier_recipients();

-- Erasing a device erases what leads to its pushes, and to those of its user and address if that was their last device.
create function forget_recipients() returns trigger language plpgsql as $$
begin
  delete from notifications_by_recipient as r
  using (
    select recipient_number(old.app_id, gone.recipient) as number
    from (values
      ('device ' || old.id, true),
      ('user ' || old.user_id, not exists (
        select from devices as d where d.app_id = old.app_id and d.user_id = old.user_id)),
      ('email ' || old.user_email, not exists (
        select from devices as d where d.app_id = old.app_id and d.user_email = old.user_email))
    ) as gone (recipient, is_last)
    where gone.recipient is not null and gone.is_last
  ) as gone, days_with_recipients() as day
  where r.recipient_day = recipient_day(gone.number, day);
  return null;
end $$;

create trigger devices_forget_recipients after delete on devices for each row execute function forget_recipients();

-- Where the entries of earlier notifications are still missing. A worker adds them from `before` back, and then removes the row
-- (src/delivery/upkeep/fill-recipients.ts). It begins after a while, when no process of the release before is left.
create table recipients_missing (
  app_id uuid primary key references apps,
  before timestamptz not null,
  before_id uuid not null default 'ffffffff-ffff-ffff-ffff-ffffffffffff' -- of the notifications of that moment
);
insert into recipients_missing (app_id, before) select id, now() + interval '15 minutes' from apps;
