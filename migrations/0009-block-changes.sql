-- Events and the time of registration among the bitmaps of migration 0007. Why, how they are kept exact, and figures:
-- docs/decisions/0010-blocks.md.
--
-- Both change without the narrow row, and far more often. So a block's bitmaps of them are sealed apart: what has changed
-- since is noted here, as what was and what is, and whoever seals one of them forgets what was noted for it alone.

alter table device_blocks
  add ids uuid[], -- of its devices, by their places; null where it was sealed before there were such bitmaps
  add events text[], -- names of which it has bitmaps: 'count of <name>' and 'last of <name>' in device_block_columns
  add more_events boolean; -- whether its devices have others as well
alter table device_blocks alter ids set storage external;

-- A change of a row of device_events, in an app that is laid out: null where there was none before, or is none after.
create table device_events_since (
  app_id uuid not null,
  device_id uuid not null,
  count_before bigint,
  count_after bigint,
  last_before timestamptz,
  last_after timestamptz,
  name text not null
);

-- The same of device_registrations.
create table device_registrations_since (
  app_id uuid not null,
  id uuid not null,
  registered_before timestamptz,
  registered_after timestamptz
);

create function note_device_event() returns trigger language plpgsql as $$
begin
  if exists (select from device_layouts where app_id = coalesce(new.app_id, old.app_id)) then
    insert into device_events_since values (
      coalesce(new.app_id, old.app_id), coalesce(new.device_id, old.device_id), old.count, new.count,
      old.last_happened_at, new.last_happened_at, coalesce(new.name, old.name)
    );
  end if;
  return null;
end $$;

create function note_device_registration() returns trigger language plpgsql as $$
begin
  if exists (select from device_layouts where app_id = coalesce(new.app_id, old.app_id)) then
    insert into device_registrations_since values (
      coalesce(new.app_id, old.app_id), coalesce(new.id, old.id), old.registered_at, new.registered_at
    );
  end if;
  return null;
end $$;

-- Nobody changes what a row is of.
create trigger device_events_since after insert or update or delete on device_events
  for each row execute function note_device_event();
create trigger device_registrations_since after insert or update or delete on device_registrations
  for each row execute function note_device_registration();

-- Whoever lays an app out waits for those who write without having seen the layout, so that none of them is missed. Who
-- comes after sees it. Here, so that it holds for the release before as well. The devices come first, as they do with
-- those who write them: their registrations and their narrow rows are then quiet, but for rows that settle.
create function wait_for_writers() returns trigger language plpgsql as $$
begin
  lock table devices, device_events, only device_targets in share row exclusive mode;
  return null;
end $$;
create trigger wait_for_writers before insert on device_layouts
  for each statement execute function wait_for_writers();

-- Seals as columns what device_block_values holds, by its names, for a block of so many devices.
create function seal_device_block_values(the_app uuid, the_number integer, devices integer) returns void
  language plpgsql as $$
declare
  column_name text;
  known bigint[];
  digits integer;
begin
  for column_name, known in
    select name, array_agg(distinct value order by value) from device_block_values group by name
  loop
    digits := 1;
    while 1 << digits <= cardinality(known) loop
      digits := digits + 1;
    end loop;
    execute format($sql$
      insert into device_block_columns (app_id, number, name, wholes, slices)
      select $1, $2, $3, $4, array[%s]
      from (
        select coalesce(rank, 0)::integer as rank
        from generate_series(0, $5 - 1) as place
        left join (
          select place, dense_rank() over (order by value) as rank from device_block_values where name = $3
        ) as held using (place)
        order by place
      ) as ranked
    $sql$, (
      select string_agg(
        format($slice$string_agg(case when rank & %s = 0 then '0' else '1' end, '')::bit varying$slice$, 1 << digit),
        ', ' order by digit)
      from generate_series(0, digits - 1) as digit
    )) using the_app, the_number, column_name, known, devices;
  end loop;
  delete from device_block_values;
end $$;

create function prepare_device_block_values() returns void language plpgsql as $$
begin
  if to_regclass('pg_temp.device_block_values') is null then
    create temporary table device_block_values (place integer, name text collate "C", value bigint)
      on commit delete rows;
  end if;
end $$;

-- As seal_device_block, of when a block's devices were registered, at the places that they have. Returns how many
-- devices the block has.
create function seal_device_block_registrations(the_app uuid, the_number integer, first uuid, next uuid)
  returns integer
  language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  the_ids uuid[];
begin
  perform prepare_device_block_values();
  select ids into the_ids from device_blocks where app_id = the_app and number = the_number;
  delete from device_registrations_since where app_id = the_app and id >= first and (next is null or id < next);
  delete from device_block_columns where app_id = the_app and number = the_number and name = 'registered_at';
  insert into device_block_values
  select place - 1, 'registered_at', (extract(epoch from registered_at) * 1000000)::bigint
  from device_registrations join unnest(the_ids) with ordinality as held (id, place) using (id)
  where app_id = the_app and id >= first and (next is null or id < next);
  perform seal_device_block_values(the_app, the_number, cardinality(the_ids));
  return cardinality(the_ids);
end $$;

-- The same of events: of the six names that most of the block's devices have. Few have the others, and few rows are
-- read to count those. To choose them reads all events of the block, so they stay until the whole block is sealed
-- again, unless there is room for more. A name that has come since is among what was noted.
create function seal_device_block_events(the_app uuid, the_number integer, first uuid, next uuid) returns integer
  language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  the_ids uuid[];
  names text[];
  has_others boolean;
  are_new boolean;
begin
  perform prepare_device_block_values();
  select ids, events, more_events into the_ids, names, has_others
  from device_blocks where app_id = the_app and number = the_number;
  are_new := exists (
    select from device_events_since
    where app_id = the_app and device_id >= first and (next is null or device_id < next) and name <> all (names)
  );
  if names is null or cardinality(names) < 6 and are_new then
    names := array(
      select name
      from device_events
      where app_id = the_app and device_id >= first and (next is null or device_id < next)
      group by name
      order by count(*) desc, name
      limit 7
    );
    has_others := cardinality(names) > 6;
    names := names[:6];
  else
    has_others := has_others or are_new;
  end if;
  update device_blocks set events = names, more_events = has_others where app_id = the_app and number = the_number;

  delete from device_events_since
  where app_id = the_app and device_id >= first and (next is null or device_id < next);
  delete from device_block_columns
  where app_id = the_app and number = the_number and name ~ '^(count|last) of ';
  insert into device_block_values
  select place - 1, what || ' of ' || name, value
  from device_events
  join unnest(the_ids) with ordinality as held (id, place) on id = device_id
  cross join lateral (values
    ('count', count), ('last', (extract(epoch from last_happened_at) * 1000000)::bigint)
  ) as said (what, value)
  where app_id = the_app and device_id >= first and (next is null or device_id < next) and name = any (names);
  perform seal_device_block_values(the_app, the_number, cardinality(the_ids));
  return cardinality(the_ids);
end $$;

-- What a block has beside its narrow rows, which device_block_rows holds.
create function seal_device_block_apart(the_app uuid, the_number integer, first uuid, next uuid) returns void
  language plpgsql as $$
begin
  update device_blocks set ids = (select coalesce(array_agg(id order by place), '{}') from device_block_rows)
  where app_id = the_app and number = the_number;
  perform seal_device_block_registrations(the_app, the_number, first, next);
  perform seal_device_block_events(the_app, the_number, first, next);
end $$;
