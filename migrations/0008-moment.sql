-- Notifications whose devices are due at different moments (docs/decisions/0026-waves.md).

-- A release before this one would send such a notification to all devices at once. The constraint makes its planning fail, so
-- that the notification waits for a process of this release.
alter table notifications
  add moment jsonb, -- what decides the moment of a device (src/notifications/moment); null: every device is due at due_at
  add planned_in pg_snapshot, -- the snapshot of the statement that planned; null unless `moment` is set
  add dropped bigint not null default 0, -- not sent, because its rules for the moment leave the device out
  add expired bigint not null default 0, -- not sent, because the device would have been held for longer than the time to live
  add constraint notifications_waves_are_planned
    check (moment is null or started_at is null or planned_in is not null) not valid;

-- The devices of a notification that are due at the same moment, or left out for the same reason. Planning inserts them. When
-- a wave starts, it gets slices.
create table notification_waves (
  app_id uuid not null,
  notification_id uuid not null,
  wave smallint not null, -- from 0, sorted by due_at
  due_at timestamptz not null, -- the time to live counts from it
  action text not null check (action in ('send', 'drop', 'expire')),
  reason text, -- why nothing is sent; null for 'send'
  spread_ms integer not null, -- its slices begin within this time
  -- Its devices: those with one of these time zones, and if `is_rest`, those with a time zone that no wave lists, or none.
  zones text[] not null,
  is_rest boolean not null,
  devices bigint not null, -- counted by planning
  without_zone bigint not null, -- how many of them had no time zone that is known
  -- Its devices as well, whatever the lists above say: those with one of these keys (`quiet_hours_key`). They are due at another
  -- moment than the others in their time zone, because of their own quiet hours.
  own_hours text[] not null default '{}',
  by_own_hours bigint not null default 0, -- how many of `devices` have one of these keys
  first_slice integer not null, -- the number of its first slice
  slices integer not null,
  state text not null check (state in ('waiting', 'started', 'over')), -- 'over': it never starts (dry run, canceled)
  primary key (app_id, notification_id, wave),
  foreign key (app_id, notification_id) references notifications on delete cascade
);
create index notification_waves_due on notification_waves (due_at) where state = 'waiting';
alter table notification_waves alter app_id set statistics 0;

-- The quiet hours that a user has chosen on the device (src/devices/quiet-hours-of-device.ts); null: none. Few devices have them.
alter table devices add quiet_hours jsonb;
create index devices_with_quiet_hours on devices (app_id, id) where quiet_hours is not null;
-- Without it, the planner assumes that nearly every device has them, and reads the whole table to find one.
analyze devices (quiet_hours);

alter table apps add devices_have_quiet_hours boolean not null default false; -- whether one of its devices has had any

create function note_quiet_hours() returns trigger language plpgsql as $$
begin
  update apps set devices_have_quiet_hours = true where id = new.app_id and not devices_have_quiet_hours;
  return null;
end $$;

create trigger devices_note_quiet_hours after insert or update of quiet_hours on devices for each row
  when (new.quiet_hours is not null)
  execute function note_quiet_hours();

-- What the own quiet hours of a device mean: those with the same key are due at the same moment. Null without them.
create function quiet_hours_key(time_zone text, quiet_hours jsonb) returns text language sql immutable parallel safe as $$
  select coalesce(time_zone, '') || ' ' || quiet_hours::text
$$;

-- The time zones and quiet hours that devices had before they changed, as long as a notification with waves was planned before
-- that. So each device stays in the wave in which planning counted it.
create table device_moment_changes (
  app_id uuid not null,
  device_id uuid not null,
  number bigint generated always as identity, -- rises with each change of a device
  time_zone text, -- both are from before the change
  quiet_hours jsonb,
  written_in xid8 not null, -- compared with `planned_in`: unlike a time, it says whether planning saw the change
  changed_at timestamptz not null default now(),
  primary key (app_id, device_id, number),
  foreign key (app_id, device_id) references devices on delete cascade
);
create index device_moment_changes_oldest on device_moment_changes (changed_at);
alter table device_moment_changes alter app_id set statistics 0;

create function keep_device_moment() returns trigger language plpgsql as $$
begin
  insert into device_moment_changes (app_id, device_id, time_zone, quiet_hours, written_in)
  values (old.app_id, old.id, old.time_zone, old.quiet_hours, pg_current_xact_id());
  return null;
end $$;

-- The condition is checked without calling the function, so a registration that changes no time zone hardly costs anything.
create trigger devices_keep_time_zone after update of time_zone on devices for each row
  when (old.time_zone is distinct from new.time_zone)
  execute function keep_device_moment();

-- A trigger of its own: Postgres looks at it only for statements that set the column, which few registrations do.
create trigger devices_keep_quiet_hours after update of quiet_hours on devices for each row
  when (old.quiet_hours is distinct from new.quiet_hours)
  execute function keep_device_moment();

-- The moment at which clocks in a zone show a time. A time that is left out in spring is taken an hour later; of a time that
-- comes twice in autumn, the second one counts. Null if this server does not know the zone.
create function moment_in_zone(wall timestamp, zone text) returns timestamptz
  language plpgsql stable strict as $$
begin
  return wall at time zone zone;
exception when invalid_parameter_value then
  return null;
end $$;

-- When the quiet hours end that the moment lies in; null if it does not lie in any, or if this server does not know the zone.
-- They begin on one of the days (1 is Monday). If `until` is before `since`, they end on the next day.
create function quiet_until(moment timestamptz, zone text, since time, until time, days integer[]) returns timestamptz
  language plpgsql stable strict as $$
declare
  wall timestamp := moment at time zone zone;
  next_day integer := case when until < since then 1 else 0 end;
  begins date := wall::date - case when until < since and wall::time < until then 1 else 0 end;
begin
  if wall < begins + since or wall >= begins + next_day + until or extract(isodow from begins) <> all (days) then
    return null;
  end if;
  return (begins + next_day + until) at time zone zone;
exception when invalid_parameter_value then
  return null;
end $$;

-- Quiet hours for notifications that do not say otherwise (src/apps/quiet-hours-of-app.ts); null: none.
alter table apps add quiet_hours jsonb;

-- Receipts: devices report that they received and showed a notification (docs/decisions/0028-receipts.md).

-- Receipts as they were reported, until a worker counts them. A row holds those of one notification that came at about the
-- same time. The notification need not exist: reporting a receipt does not say whether it does.
create table receipts_uncounted (
  app_id uuid not null references apps,
  notification_id uuid not null,
  number bigint generated always as identity,
  stored_at timestamptz not null, -- when they were reported
  due_at timestamptz not null, -- counted from then on
  receipts bytea not null, -- packed: device ids and what each reported (src/results/receipts/packed-receipts.ts)
  primary key (app_id, notification_id, number)
);
create index receipts_uncounted_due on receipts_uncounted (due_at);

-- Which devices of a slice have reported: a bit per device, in the order of the slice's packed outcomes. They are what makes
-- a device count once.
create table receipt_marks (
  app_id uuid not null,
  notification_id uuid not null,
  slice integer not null, -- 0 for a notification that was sent without slices
  received bytea not null, -- empty as long as no device has reported
  shown bytea not null,
  primary key (app_id, notification_id, slice),
  foreign key (app_id, notification_id) references notifications on delete cascade
);

-- The sums of the marks. They stay when the marks are pruned.
create table receipt_counts (
  app_id uuid not null,
  notification_id uuid not null,
  asked bigint not null, -- devices whose push was accepted and that are in the sample, in slices that have marks
  received bigint not null,
  shown bigint not null,
  complete boolean not null, -- whether every slice has marks, and no more will come
  primary key (app_id, notification_id),
  foreign key (app_id, notification_id) references notifications on delete cascade
);
create index receipt_counts_incomplete on receipt_counts (app_id, notification_id) where not complete;

-- Apple's own ids of pushes to development devices, for its Push Notifications Console.
create table apns_unique_ids (
  app_id uuid not null,
  notification_id uuid not null,
  device_id uuid not null,
  unique_id uuid not null,
  primary key (app_id, notification_id, device_id),
  foreign key (app_id, notification_id) references notifications on delete cascade
);

alter table receipts_uncounted alter app_id set statistics 0;
alter table receipt_marks alter app_id set statistics 0;
alter table receipt_counts alter app_id set statistics 0;
alter table apns_unique_ids alter app_id set statistics 0;

-- Frequency caps: at most so many pushes of a group to one person or device within a period
-- (docs/decisions/0029-frequency-caps.md).

alter table apps
  -- [{"group": "marketing", "by": "user", "limits": [{"at_most": 2, "per": "P1D"}]}]
  add frequency_caps jsonb not null default '[]';

alter table notifications
  add capped bigint not null default 0; -- not sent, because a frequency cap was reached

-- What webhooks get about a notification that has ended.
create function notification_end_data(n notifications) returns jsonb
  language sql stable parallel safe
  return jsonb_build_object(
    'id', (n).id, 'state', (n).state, 'reason', (n).reason, 'created_at', instant_text((n).created_at),
    'ended_at', instant_text((n).ended_at), 'devices', (n).devices, 'accepted', (n).accepted,
    'rejected', (n).rejected, 'unregistered', (n).unregistered, 'no_token', (n).no_token,
    'ambiguous', (n).ambiguous, 'dropped', (n).dropped, 'expired', (n).expired, 'capped', (n).capped
  );

create or replace function announce_notification_end() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (app_id, webhook_id, id, type, data, created_at, due_at)
  select
    app_id, id, gen_random_uuid(), 'notification.' || new.state, notification_end_data(new), new.ended_at, new.ended_at
  from webhooks
  where app_id = new.app_id and 'notification.' || new.state = any (events)
  for key share;
  return null;
end $$;

-- The call costs 17 µs, most of what a single push costs when it ends. Notifications that are sent as a whole (those with
-- outcomes of their own) are announced by the statement that ends them (src/delivery/outcomes/claim-end-statement.ts).
create or replace trigger notifications_announce_end after update on notifications for each row
  when (old.state <> new.state and new.state in ('sent', 'failed') and new.outcomes is null)
  execute function announce_notification_end();

-- Which notifications have used a cap, one row for each user or device.
create table cap_uses (
  app_id uuid not null references apps,
  cap_group text not null,
  subject text not null, -- 'user ' or 'device ', then the id
  -- [{"notification": "<id>", "at": <ms since 1970>, "slices": [<number>, …]}]. A use that is reserved again moves to the end,
  -- and one is given back when no slice has it any more.
  uses jsonb not null,
  primary key (app_id, subject, cap_group)
) with (fillfactor = 80); -- rows are updated in place, again and again
alter table cap_uses alter app_id set statistics 0;

-- Erasing a device erases what is counted for it, and for its user if that was the user's last device.
create function forget_cap_uses() returns trigger language plpgsql as $$
begin
  delete from cap_uses where app_id = old.app_id and subject = 'device ' || old.id;
  if old.user_id is not null then
    delete from cap_uses
    where app_id = old.app_id and subject = 'user ' || old.user_id
      and not exists (select from devices as d where d.app_id = old.app_id and d.user_id = old.user_id);
  end if;
  return null;
end $$;

create trigger devices_forget_cap_uses after delete on devices for each row execute function forget_cap_uses();

-- The uses with one more, by a slice of a notification. They are the same without it if one of the limits is reached. A
-- notification counts once, however many devices a user has and however often a slice is tried again. Uses that are older than
-- the longest period are left out.
create function add_cap_use(
  uses jsonb, notification text, slice integer, at_ms bigint, at_most integer[], per_ms bigint[]
) returns jsonb language plpgsql immutable parallel safe as $$
declare
  kept jsonb := '[]';
  used jsonb;
  longest_ms bigint := (select max(p) from unnest(per_ms) as p);
  mine jsonb;
  counts integer[] := array_fill(0, array[cardinality(at_most)]);
begin
  for used in select jsonb_array_elements(uses) loop
    continue when (used ->> 'at')::bigint <= at_ms - longest_ms;
    if used ->> 'notification' = notification then
      mine := used;
      continue;
    end if;
    kept := kept || used;
    for i in 1 .. cardinality(at_most) loop
      if (used ->> 'at')::bigint > at_ms - per_ms[i] then counts[i] := counts[i] + 1; end if;
    end loop;
  end loop;
  if mine is not null then
    if not mine -> 'slices' @> to_jsonb(slice) then
      mine := jsonb_set(mine, '{slices}', mine -> 'slices' || to_jsonb(slice));
    end if;
    return kept || mine;
  end if;
  for i in 1 .. cardinality(at_most) loop
    if counts[i] >= at_most[i] then return kept; end if;
  end loop;
  return kept || jsonb_build_object('notification', notification, 'at', at_ms, 'slices', jsonb_build_array(slice));
end $$;

-- The uses without the one by a slice of a notification.
create function remove_cap_use(uses jsonb, notification text, slice integer) returns jsonb
  language sql immutable parallel safe as $$
  select coalesce(jsonb_agg(use.left order by position), '[]')
  from (
    select
      position,
      case
        when used ->> 'notification' <> notification then used
        when used -> 'slices' <> to_jsonb(array[slice]) then
          jsonb_set(used, '{slices}', (
            select coalesce(jsonb_agg(number), '[]') from jsonb_array_elements(used -> 'slices') as number
            where number <> to_jsonb(slice)
          ))
      end as left
    from jsonb_array_elements(uses) with ordinality as element (used, position)
  ) as use
  where use.left is not null
$$;

-- A/B variants (docs/decisions/0030-ab-variants.md). The variant of a device is stored with the reason of its outcome.

alter table opens add variant text; -- of the device; null if the notification is no A/B test, or its outcome was not saved yet

-- Sums by variant, only for A/B tests. Those of receipts are complete as soon as the receipts are counted; those of outcomes and
-- opens are what was pruned, so that the numbers stay.
create table variant_counts (
  app_id uuid not null,
  notification_id uuid not null,
  variant text not null, -- its name, or 'hold_out'
  asked bigint not null default 0, -- for receipts
  received bigint not null default 0,
  shown bigint not null default 0,
  opened bigint not null default 0, -- pruned
  accepted bigint not null default 0, -- pruned, like the following
  rejected bigint not null default 0,
  unregistered bigint not null default 0,
  no_token bigint not null default 0,
  ambiguous bigint not null default 0,
  dropped bigint not null default 0,
  expired bigint not null default 0,
  capped bigint not null default 0,
  primary key (app_id, notification_id, variant),
  foreign key (app_id, notification_id) references notifications on delete cascade
);
alter table variant_counts alter app_id set statistics 0;
