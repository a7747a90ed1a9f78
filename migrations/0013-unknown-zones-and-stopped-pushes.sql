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
