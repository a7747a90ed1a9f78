-- What the planner may believe of an app that is newer than its statistics. Why, with figures:
-- docs/decisions/0011-new-apps.md.
--
-- Where all apps of a table are among the most common values that it has counted, it takes any other for an app of one
-- row. To read all rows of that app then looks as cheap to it as to read one by its key, and until the next `analyze` -
-- which comes when a tenth of the table has changed - it may do so for every device.

-- These are read by keys, and nobody asks how many of their rows an app has. Without statistics, each app is taken for
-- one of two hundred. Giving a column the type that it has makes Postgres forget what it knew of it, and is done at once.
alter table devices alter app_id type uuid, alter app_id set statistics 0;
alter table erased_devices alter app_id type uuid, alter app_id set statistics 0;
alter table audiences alter app_id type uuid, alter app_id set statistics 0;
alter table notifications alter app_id type uuid, alter app_id set statistics 0;
alter table delivery_slices alter app_id type uuid, alter app_id set statistics 0;
alter table delivery_progress alter app_id type uuid, alter app_id set statistics 0;
alter table opens alter app_id type uuid, alter app_id set statistics 0;
alter table webhooks alter app_id type uuid, alter app_id set statistics 0;
alter table webhook_deliveries alter app_id type uuid, alter app_id set statistics 0;

-- Audiences are counted by the statistics of the others. In device_events the primary key is the only index that begins
-- with the app, so there is nothing that looks as good as the key of one device.
drop index device_events_name;
create index device_events_name on device_events (name, app_id, device_id) include (count, last_happened_at);

-- As in migration 0002, but that the planner does not see which app it is.
create or replace function forget_device_targets(the_app uuid, ids uuid[]) returns void
  language plpgsql set enable_seqscan = off as $$
declare
  forgotten integer;
begin
  delete from device_targets where app_id = (select the_app) and id = any (ids);
  get diagnostics forgotten = row_count;
  if forgotten < cardinality(ids) then
    delete from device_targets where app_id = (select the_app) and id = any (ids);
  end if;
end $$;

-- As in migration 0002, with the same change.
create or replace function drop_device_targets() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  app uuid;
  ids uuid[];
begin
  for app, ids in select app_id, array_agg(id) from removed group by app_id loop
    perform forget_device_targets(app, ids);
    delete from device_registrations where app_id = (select app) and id = any (ids);
  end loop;
  return null;
end $$;
