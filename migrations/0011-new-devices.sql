-- What comes to an app that is laid out (migrations 0007 and 0009) is noted a statement at a time. For each row Postgres
-- called a function that asked whether the app is: 4 µs a device of an import, into any app. Figures:
-- docs/decisions/0004-targeting-storage.md.

create function note_new_device_targets() returns trigger language plpgsql as $$
begin
  insert into device_targets_since
  select changed.*, 1 from changed
  where exists (select from device_layouts as layout where layout.app_id = changed.app_id);
  return null;
end $$;

create function note_new_device_registrations() returns trigger language plpgsql as $$
begin
  insert into device_registrations_since
  select app_id, id, null, registered_at from changed
  where exists (select from device_layouts as layout where layout.app_id = changed.app_id);
  return null;
end $$;

-- Rows that go stay with the trigger of rows, which those of device_targets_fresh do not set off.
drop trigger device_targets_since on device_targets;
create trigger device_targets_since after delete on device_targets
  for each row execute function note_device_target();
create trigger new_device_targets_since after insert on device_targets
  referencing new table as changed for each statement execute function note_new_device_targets();

-- So do those that change: what was and what is are then beside each other.
drop trigger device_registrations_since on device_registrations;
create trigger device_registrations_since after update or delete on device_registrations
  for each row execute function note_device_registration();
create trigger new_device_registrations_since after insert on device_registrations
  referencing new table as changed for each statement execute function note_new_device_registrations();
