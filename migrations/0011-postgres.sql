-- What Postgres needs around it (docs/decisions/0035-postgres-as-people-run-it.md).

-- A number that API processes with a read replica raise every second. What a replica shows of it says how far the replica is
-- behind, without comparing clocks, on any kind of replica.
create table replica_heartbeat (
  id boolean primary key default true check (id), -- one row
  number bigint not null
) with (fillfactor = 50); -- updated in place
insert into replica_heartbeat (number) values (0);

-- The targeting rows that have their index entries: what `only device_targets` reads, unless the table is partitioned.
create view indexed_device_targets as select * from only device_targets;

-- Partitions the tables of targeting rows, registrations and events by hash of the device id, in a database without devices
-- (docs/postgres.md). `devices` itself stays whole: a unique key of a partitioned table must contain the key of the partitions, and
-- push tokens are unique without the id of their device.
create function partition_devices(parts integer) returns void language plpgsql as $$
declare
  the_table text;
  device text; -- the column with the device id
  definitions text[];
  definition text;
  the_function text;
begin
  lock table devices, device_events, device_targets, device_registrations in access exclusive mode;
  if parts not between 2 and 1024 then
    raise exception 'the number of partitions must be 2 to 1024';
  elsif exists (select from pg_partitioned_table where partrelid = 'device_targets'::regclass) then
    raise exception 'the tables are partitioned already';
  elsif exists (select from devices) then
    raise exception 'there are devices already: only a new database can be partitioned';
  end if;

  -- A partitioned table has no inheriting ones. So rows are indexed at once, and the table of unindexed rows stays empty.
  drop view indexed_device_targets;
  drop table device_targets_unindexed;
  for the_table, device in values ('device_targets', 'id'), ('device_registrations', 'id'), ('device_events', 'device_id') loop
    select array_agg(each.definition) into definitions from (
      select format('alter table %I add constraint %I %s', the_table, conname, pg_get_constraintdef(oid))
      from pg_constraint where conrelid = the_table::regclass and contype in ('p', 'f')
      union all
      select pg_get_indexdef(indexrelid) from pg_index where indrelid = the_table::regclass and not indisprimary
      union all
      select pg_get_triggerdef(oid) from pg_trigger where tgrelid = the_table::regclass and not tgisinternal
    ) as each (definition);
    execute format('create table partitioned (like %I) partition by hash (%I)', the_table, device);
    execute format('drop table %I', the_table);
    execute format('alter table partitioned rename to %I', the_table);
    foreach definition in array definitions loop
      execute definition;
    end loop;
    for part in 0 .. parts - 1 loop
      execute format('create table %I partition of %I for values with (modulus %s, remainder %s)',
        the_table || '_' || part, the_table, parts, part);
    end loop;
  end loop;
  create table device_targets_unindexed (like device_targets);
  alter table device_targets_unindexed add primary key (app_id, id);
  create view indexed_device_targets as select * from device_targets;

  for the_function in values ('write_device_targets'), ('wait_for_writers'), ('build_count_bitmap_block') loop
    execute replace(
      replace(pg_get_functiondef(the_function::regproc), 'only device_targets', 'device_targets'),
      '400 * 1024 * 1024', '0'
    );
  end loop;
end $$;
