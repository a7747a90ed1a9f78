-- Nothing that is stored may stop the work on other things (docs/decisions/0038-work-that-cannot-be-done.md).

-- Whether this server knows the zone: old names are missing where they were packaged apart.
create function zone_is_known(zone text) returns boolean language plpgsql stable strict as $$
begin
  perform now() at time zone zone;
  return true;
exception when invalid_parameter_value then
  return false;
end $$;

-- As before (0008), but a zone that this server does not know is null also if the first statement finds it out: a declaration
-- is not covered by its own block's exceptions.
create or replace function quiet_until(moment timestamptz, zone text, since time, until time, days integer[]) returns timestamptz
  language plpgsql stable strict as $$
declare
  wall timestamp;
  begins date;
  next_day integer := case when until < since then 1 else 0 end;
begin
  wall := moment at time zone zone;
  begins := wall::date - case when until < since and wall::time < until then 1 else 0 end;
  if wall < begins + since or wall >= begins + next_day + until or extract(isodow from begins) <> all (days) then
    return null;
  end if;
  return (begins + next_day + until) at time zone zone;
exception when invalid_parameter_value then
  return null;
end $$;

-- Notifications that could not be planned or sent, or whose planning is in progress. A row goes when planning succeeds, or when
-- the notification is pruned. It has no foreign key, so that it can be written while a planner has the notification locked.
create table notification_troubles (
  app_id uuid not null,
  notification_id uuid not null,
  planner uuid, -- the process that plans it now; one that is still here after `planning_at` is old has died
  planning_at timestamptz,
  deaths integer not null default 0, -- processes that have died while they planned it
  failures integer not null default 0, -- attempts that failed with an error, to plan it or to send a slice
  since timestamptz, -- the first of these failures, the last one and its cause, without values
  failed_at timestamptz,
  message text,
  not_before timestamptz, -- when it is planned again
  gave_up boolean not null default false, -- a slice was given up: it ends as failed
  primary key (app_id, notification_id)
);
alter table notification_troubles alter app_id set statistics 0;

-- A slice whose worker has died is sent carefully: each device is noted before its push begins.
alter table delivery_slices
  add holder uuid, -- the process that leased it last
  add deaths integer not null default 0, -- processes that have died with it since its last saved outcome
  add trying uuid, -- the device whose push is being begun; zeros: the notification is being read
  add poison uuid[] not null default '{}', -- what was noted in `trying` when a process died: never tried again
  add failures integer not null default 0, -- attempts that failed with an error
  add gave_up text; -- why devices of the slice have no outcome although it is done
