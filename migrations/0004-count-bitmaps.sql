-- Count bitmaps, from which large apps are counted. docs/decisions/0010-count-bitmaps.md has the reasons, the figures, and how
-- the counts stay exact.
--
-- The devices of a large app are divided into blocks by id. A job builds the bitmaps of a block
-- (src/targeting/bitmaps/build.ts) from the rows of its devices. From then on, triggers record changes of those rows in
-- the delta tables: at any time, bitmaps and deltas together equal the rows (of device_targets itself, without
-- device_targets_unindexed), and a count adds them up. A build and writers of devices do not wait for each other.
--
-- Registrations, events and push tokens change without the targeting row, and far more often. So their bitmaps are built
-- separately, and each has a delta table of its own.

-- How an app is divided into blocks. An app without a row has no bitmaps and no deltas.
create table count_bitmap_layouts (
  app_id uuid primary key references apps,
  first_ids uuid[] not null -- the first id of each block; for the first block, the lowest possible id
);

-- A block. Its devices are sorted by id; a device's index in this order is its position in all bitmaps of the block.
create table count_bitmap_blocks (
  app_id uuid not null,
  number integer not null, -- from 1
  devices integer not null,
  empty_bitmap bit varying not null, -- a bitmap without any device: zeros, with the length of all bitmaps of the block
  without_bitmaps text[] not null, -- names of columns and lists that have too many values for bitmaps
  ids uuid[] not null, -- of all devices, by position
  -- Names of events with bitmaps: 'count of <name>' and 'last of <name>' in count_bitmap_columns.
  events text[] not null default '{}',
  has_other_events boolean not null default false, -- whether its devices have other events as well
  unreachable bit varying not null, -- devices without a push token
  primary key (app_id, number)
);

-- The values of a column of a block, as a bit-sliced index: the distinct values, sorted, and for each device the number
-- of its value (from 1; 0 means null) in binary. The first bitmap has the lowest binary digit of all devices' numbers, and so
-- on. So n distinct values of any type take log2(n) bitmaps.
create table count_bitmap_columns (
  app_id uuid not null,
  number integer not null,
  name text not null,
  wholes bigint[], -- times are in microseconds since 1970; flags are 0 and 1
  reals double precision[],
  texts text[] collate "C",
  bit_slices bit varying[] not null,
  primary key (app_id, number, name)
);

-- The devices of a block by value, for attributes with several values per device: tags, and strings in device_targets.rest,
-- with the same names as there ('<type> <name>').
create table count_bitmap_lists (
  app_id uuid not null,
  number integer not null,
  name text not null,
  value text collate "C" not null,
  bits bit varying, -- if many devices have the value
  positions smallint[], -- if few devices have it: their positions from 0, sorted
  primary key (app_id, number, name, value)
);

-- No compression: bitmaps hardly compress, and trying takes time.
alter table count_bitmap_blocks
  alter ids set storage external, alter unreachable set storage external;
alter table count_bitmap_columns
  alter wholes set storage external, alter reals set storage external, alter texts set storage external,
  alter bit_slices set storage external;
alter table count_bitmap_lists alter bits set storage external;

-- Rows that device_targets has gained (sign 1) or lost (sign -1) since the block was built. The table has the columns of
-- device_targets in the same order, and the sign. A column that is added there must be added here.
create table device_targets_delta (like device_targets, sign smallint not null);

-- Changes of rows of device_registrations since their bitmaps were built. The value before is null if there was no
-- row, and the value after is null if there is none.
create table device_registrations_delta (
  app_id uuid not null,
  id uuid not null,
  registered_before timestamptz,
  registered_after timestamptz
);

-- Changes of rows of device_events, in the same way.
create table device_events_delta (
  app_id uuid not null,
  device_id uuid not null,
  count_before bigint,
  count_after bigint,
  last_before timestamptz,
  last_after timestamptz,
  name text not null
);

-- Devices that lost their push token or were created without one (1), and those that got one or were deleted without one (-1).
create table device_tokens_delta (
  app_id uuid not null,
  id uuid not null,
  sign smallint not null
);

-- Inserting a layout waits for writers that have not seen it, so that the deltas miss none of their changes; later writers see
-- it. The tables are locked in the same order as by writers of devices. While devices is locked, registrations and targeting
-- rows do not change either, except for rows that are being indexed.
create function wait_for_writers() returns trigger language plpgsql as $$
begin
  lock table devices, device_events, only device_targets in share row exclusive mode;
  return null;
end $$;
create trigger wait_for_writers before insert on count_bitmap_layouts
  for each statement execute function wait_for_writers();

-- Inserts are recorded per statement: a call per row that asks whether the app has a layout costs an import 4 µs per
-- device. Updates and deletes are recorded per row, because the values before and after are at hand there. Rows of
-- device_targets_unindexed fire none of these triggers.

create function record_inserted_device_targets() returns trigger language plpgsql as $$
begin
  insert into device_targets_delta
  select changed.*, 1 from changed
  where exists (select from count_bitmap_layouts as layout where layout.app_id = changed.app_id);
  return null;
end $$;
create trigger device_targets_delta_insert after insert on device_targets
  referencing new table as changed for each statement execute function record_inserted_device_targets();

create function record_deleted_device_target() returns trigger language plpgsql as $$
begin
  if exists (select from count_bitmap_layouts where app_id = old.app_id) then
    insert into device_targets_delta select old.*, -1;
  end if;
  return null;
end $$;
create trigger device_targets_delta_delete after delete on device_targets
  for each row execute function record_deleted_device_target();

create function record_inserted_device_registrations() returns trigger language plpgsql as $$
begin
  insert into device_registrations_delta
  select app_id, id, null, registered_at from changed
  where exists (select from count_bitmap_layouts as layout where layout.app_id = changed.app_id);
  return null;
end $$;
create trigger device_registrations_delta_insert after insert on device_registrations
  referencing new table as changed for each statement execute function record_inserted_device_registrations();

create function record_changed_device_registration() returns trigger language plpgsql as $$
begin
  if exists (select from count_bitmap_layouts where app_id = old.app_id) then
    insert into device_registrations_delta values (old.app_id, old.id, old.registered_at, new.registered_at);
  end if;
  return null;
end $$;
create trigger device_registrations_delta_change after update or delete on device_registrations
  for each row execute function record_changed_device_registration();

create function record_changed_device_event() returns trigger language plpgsql as $$
begin
  if exists (select from count_bitmap_layouts where app_id = coalesce(new.app_id, old.app_id)) then
    insert into device_events_delta values (
      coalesce(new.app_id, old.app_id), coalesce(new.device_id, old.device_id), old.count, new.count,
      old.last_happened_at, new.last_happened_at, coalesce(new.name, old.name)
    );
  end if;
  return null;
end $$;
create trigger device_events_delta after insert or update or delete on device_events
  for each row execute function record_changed_device_event();

create function record_changed_device_token() returns trigger language plpgsql as $$
begin
  if exists (select from count_bitmap_layouts where app_id = coalesce(new.app_id, old.app_id)) then
    insert into device_tokens_delta values (
      coalesce(new.app_id, old.app_id), coalesce(new.id, old.id),
      case when tg_op <> 'DELETE' and new.push_token is null then 1 else -1 end
    );
  end if;
  return null;
end $$;
-- Because of the conditions, nearly all registrations skip the call.
create trigger device_tokens_delta_insert after insert on devices
  for each row when (new.push_token is null) execute function record_changed_device_token();
create trigger device_tokens_delta_update after update on devices
  for each row when ((new.push_token is null) <> (old.push_token is null)) execute function record_changed_device_token();
create trigger device_tokens_delta_delete after delete on devices
  for each row when (old.push_token is null) execute function record_changed_device_token();

-- Functions that read bitmaps.

-- The devices whose number is at least `lowest`.
create function bits_from(bit_slices bit varying[], lowest integer) returns bit varying
  language plpgsql immutable strict parallel safe as $$
declare
  result bit varying; -- null: all devices
begin
  if lowest >= 1 << cardinality(bit_slices) then
    return bit_slices[1] & ~bit_slices[1];
  end if;
  for digit in 1..cardinality(bit_slices) loop
    if lowest & (1 << (digit - 1)) <> 0 then
      result := case when result is null then bit_slices[digit] else bit_slices[digit] & result end;
    elsif result is not null then
      result := bit_slices[digit] | result;
    end if;
  end loop;
  return coalesce(result, bit_slices[1] | ~bit_slices[1]);
end $$;

-- The devices that have the value with this number, from 1.
create function bits_at(bit_slices bit varying[], rank integer) returns bit varying
  language plpgsql immutable strict parallel safe as $$
declare
  result bit varying;
  others bit varying; -- devices with a digit that the number lacks
begin
  for digit in 1..cardinality(bit_slices) loop
    if rank & (1 << (digit - 1)) <> 0 then
      result := case when result is null then bit_slices[digit] else bit_slices[digit] & result end;
    else
      others := case when others is null then bit_slices[digit] else bit_slices[digit] | others end;
    end if;
  end loop;
  return case when others is null then result else result & ~others end;
end $$;

-- The devices whose value lies in one of the spans, ends included. `known` are the distinct values. Spans of adjacent
-- values are looked up together.
create function bits_within(bit_slices bit varying[], known anyarray, froms anyarray, tos anyarray) returns bit varying
  language plpgsql immutable strict parallel safe as $$
declare
  result bit varying := bit_slices[1] & ~bit_slices[1];
  low integer;
  high integer;
  next_low integer;
  next_high integer;
begin
  for span in 1..cardinality(froms) + 1 loop
    if span <= cardinality(froms) then
      next_low := width_bucket(froms[span], known);
      if next_low = 0 or known[next_low] <> froms[span] then
        next_low := next_low + 1;
      end if;
      next_high := width_bucket(tos[span], known);
      continue when next_low > next_high;
      if next_low = high + 1 then
        high := next_high;
        continue;
      end if;
    end if;
    if low = high then
      result := result | bits_at(bit_slices, low);
    elsif low < high then
      result := result | (bits_from(bit_slices, low) & ~bits_from(bit_slices, high + 1));
    end if;
    low := next_low;
    high := next_high;
  end loop;
  return result;
end $$;

-- A bitmap from sorted positions, in a block with this number of devices.
create function bits_of_positions(positions smallint[], devices integer) returns bit varying
  language sql immutable strict parallel safe
  return (
    select (string_agg(repeat('0', position - before - 1) || '1', '' order by position)
      || repeat('0', devices - 1 - max(position)))::bit varying
    from (
      select position, lag(position, 1, -1::smallint) over (order by position) as before
      from unnest(positions) as position
    ) as gaps
  );

-- Functions that build bitmaps.

-- Builds one column from count_bitmap_source_rows: `value` is an SQL expression, `kind` the column of count_bitmap_columns for
-- its values. Returns false if there are too many values: texts that are nearly unique are counted by their B-tree.
create function build_count_bitmap_column(the_app uuid, the_number integer, column_name text, kind text, value text)
  returns boolean
  language plpgsql as $$
declare
  known integer;
  digits integer := 1;
begin
  execute format('select count(*) from (select distinct %1$s from count_bitmap_source_rows where %1$s is not null) as each',
    value) into known;
  if known = 0 then
    return true;
  elsif kind = 'texts' and known > 8192 then
    return false;
  end if;
  while 1 << digits <= known loop
    digits := digits + 1;
  end loop;
  execute format($sql$
    with known as materialized (
      select value, row_number() over (order by value) as rank
      from (select distinct %1$s as value from count_bitmap_source_rows where %1$s is not null) as each
    )
    insert into count_bitmap_columns (app_id, number, name, %2$I, bit_slices)
    select $1, $2, $3, (select array_agg(value order by rank) from known), array[%3$s]
    from (
      select coalesce(rank, 0)::integer as rank
      from count_bitmap_source_rows left join known on known.value = %1$s
      order by position
    ) as ranked
  $sql$, value, kind, (
    select string_agg(
      format($slice$string_agg(case when rank & %s = 0 then '0' else '1' end, '')::bit varying$slice$, 1 << digit),
      ', ' order by digit)
    from generate_series(0, digits - 1) as digit
  )) using the_app, the_number, column_name;
  return true;
end $$;

-- Builds columns, by name, from count_bitmap_source_values for a block with this number of devices. Then empties that table.
create function build_count_bitmap_values(the_app uuid, the_number integer, devices integer) returns void
  language plpgsql as $$
declare
  column_name text;
  known bigint[];
  digits integer;
begin
  for column_name, known in
    select name, array_agg(distinct value order by value) from count_bitmap_source_values group by name
  loop
    digits := 1;
    while 1 << digits <= cardinality(known) loop
      digits := digits + 1;
    end loop;
    execute format($sql$
      insert into count_bitmap_columns (app_id, number, name, wholes, bit_slices)
      select $1, $2, $3, $4, array[%s]
      from (
        select coalesce(rank, 0)::integer as rank
        from generate_series(0, $5 - 1) as position
        left join (
          select position, dense_rank() over (order by value) as rank from count_bitmap_source_values where name = $3
        ) as held using (position)
        order by position
      ) as ranked
    $sql$, (
      select string_agg(
        format($slice$string_agg(case when rank & %s = 0 then '0' else '1' end, '')::bit varying$slice$, 1 << digit),
        ', ' order by digit)
      from generate_series(0, digits - 1) as digit
    )) using the_app, the_number, column_name, known, devices;
  end loop;
  delete from count_bitmap_source_values;
end $$;

create function prepare_count_bitmap_values() returns void language plpgsql as $$
begin
  if to_regclass('pg_temp.count_bitmap_source_values') is null then
    create temporary table count_bitmap_source_values (position integer, name text collate "C", value bigint)
      on commit delete rows;
  end if;
end $$;

-- Builds the bitmaps of registration times, at the positions that the block has, and deletes their delta. Returns the
-- number of devices of the block.
create function build_count_bitmap_registrations(the_app uuid, the_number integer, first uuid, next uuid)
  returns integer
  language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  the_ids uuid[];
begin
  perform prepare_count_bitmap_values();
  select ids into the_ids from count_bitmap_blocks where app_id = the_app and number = the_number;
  delete from device_registrations_delta where app_id = the_app and id >= first and (next is null or id < next);
  delete from count_bitmap_columns where app_id = the_app and number = the_number and name = 'registered_at';
  insert into count_bitmap_source_values
  select position - 1, 'registered_at', (extract(epoch from registered_at) * 1000000)::bigint
  from device_registrations join unnest(the_ids) with ordinality as held (id, position) using (id)
  where app_id = the_app and id >= first and (next is null or id < next);
  perform build_count_bitmap_values(the_app, the_number, cardinality(the_ids));
  return cardinality(the_ids);
end $$;

-- The same for events: it builds bitmaps for the six names that most of the block's devices have. Few devices have the other
-- events, so counting those reads few rows. Choosing the names reads all events of the block, so the names are kept until the
-- whole block is rebuilt, unless there are fewer than six. Names that have appeared since are in the delta.
create function build_count_bitmap_events(the_app uuid, the_number integer, first uuid, next uuid) returns integer
  language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  the_ids uuid[];
  names text[];
  has_others boolean;
  are_new boolean;
begin
  perform prepare_count_bitmap_values();
  select ids, events, has_other_events into the_ids, names, has_others
  from count_bitmap_blocks where app_id = the_app and number = the_number;
  are_new := exists (
    select from device_events_delta
    where app_id = the_app and device_id >= first and (next is null or device_id < next) and name <> all (names)
  );
  if cardinality(names) = 0 or cardinality(names) < 6 and are_new then
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
  update count_bitmap_blocks set events = names, has_other_events = has_others where app_id = the_app and number = the_number;

  delete from device_events_delta
  where app_id = the_app and device_id >= first and (next is null or device_id < next);
  delete from count_bitmap_columns
  where app_id = the_app and number = the_number and name ~ '^(count|last) of ';
  insert into count_bitmap_source_values
  select position - 1, what || ' of ' || name, value
  from device_events
  join unnest(the_ids) with ordinality as held (id, position) on id = device_id
  cross join lateral (values
    ('count', count), ('last', (extract(epoch from last_happened_at) * 1000000)::bigint)
  ) as measured (what, value)
  where app_id = the_app and device_id >= first and (next is null or device_id < next) and name = any (names);
  perform build_count_bitmap_values(the_app, the_number, cardinality(the_ids));
  return cardinality(the_ids);
end $$;

-- The same for push tokens: builds the bitmap of devices without one.
create function build_count_bitmap_tokens(the_app uuid, the_number integer, first uuid, next uuid) returns integer
  language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  the_ids uuid[];
begin
  select ids into the_ids from count_bitmap_blocks where app_id = the_app and number = the_number;
  delete from device_tokens_delta where app_id = the_app and id >= first and (next is null or id < next);
  update count_bitmap_blocks
  set unreachable = coalesce((
    select string_agg(case when d.id is null then '0' else '1' end, '' order by position)
    from unnest(the_ids) with ordinality as held (id, position)
    left join (
      select devices.id from devices
      where app_id = the_app and push_token is null and devices.id >= first and (next is null or devices.id < next)
    ) as d using (id)
  ), '')::bit varying
  where app_id = the_app and number = the_number;
  return cardinality(the_ids);
end $$;

-- Builds all bitmaps of a block. `next` is the first id of the next block. It must run in a `repeatable read` transaction, so that
-- the rows it deletes from the delta are those in the bitmaps. Returns the number of devices of the block. If there are more
-- than 32,767 (positions are smallints), nothing is built.
create function build_count_bitmap_block(the_app uuid, the_number integer, first uuid, next uuid) returns integer
  language plpgsql as $$
declare
  held integer;
  column_name text;
  kind text;
  expression text;
  too_many text[] := '{}';
begin
  if to_regclass('pg_temp.count_bitmap_source_rows') is null then
    create temporary table count_bitmap_source_rows (like device_targets, position integer) on commit delete rows;
  end if;
  insert into count_bitmap_source_rows
  select t.*, row_number() over (order by id) - 1 from only device_targets as t
  where app_id = the_app and id >= first and (next is null or id < next);
  get diagnostics held = row_count;
  if held > 32767 then
    return held;
  end if;

  delete from device_targets_delta where app_id = the_app and id >= first and (next is null or id < next);
  delete from count_bitmap_blocks where app_id = the_app and number = the_number;
  delete from count_bitmap_columns where app_id = the_app and number = the_number;
  delete from count_bitmap_lists where app_id = the_app and number = the_number;

  for column_name, kind, expression in
    select attname,
      case atttypid when 'text'::regtype then 'texts' when 'double precision'::regtype then 'reals' else 'wholes' end,
      format(case atttypid
        when 'text'::regtype then '%I collate "C"'
        when 'double precision'::regtype then '%I'
        when 'timestamptz'::regtype then '(extract(epoch from %I) * 1000000)::bigint'
        when 'boolean'::regtype then '%I::integer::bigint'
        else '%I::bigint'
      end, attname)
    from pg_attribute
    where attrelid = 'device_targets'::regclass and attnum > 0 and not attisdropped
      and attname <> all ('{app_id, id, gps, latitude, longitude, tags, rest}')
    order by attnum
  loop
    if not build_count_bitmap_column(the_app, the_number, column_name, kind, expression) then
      too_many := too_many || column_name;
    end if;
  end loop;

  with listed as (
    select distinct position, 'tags' as name, tag collate "C" as value
    from count_bitmap_source_rows, jsonb_array_elements_text(tags) as tag
    union
    select position, other.name, element collate "C"
    from count_bitmap_source_rows, jsonb_each(rest) as other (name, content),
      jsonb_array_elements_text(case jsonb_typeof(content) when 'array' then content else jsonb_build_array(content) end)
        as element
    where other.name like 'string %'
  ), grouped as (
    select name, value, array_agg(position::smallint order by position) as positions, count(*) over (partition by name) as known
    from listed
    group by name, value
  ), kept as (
    insert into count_bitmap_lists
    select the_app, the_number, name, value,
      case when cardinality(positions) * 64 >= held then bits_of_positions(positions, held) end,
      case when cardinality(positions) * 64 < held then positions end
    from grouped
    where known <= 8192
  )
  select too_many || coalesce(array_agg(distinct name), '{}') into too_many from grouped where known > 8192;

  insert into count_bitmap_blocks (app_id, number, devices, empty_bitmap, without_bitmaps, ids, unreachable)
  select the_app, the_number, held, repeat('0', held)::bit varying, too_many,
    coalesce(array_agg(id order by position), '{}'),
    repeat('0', held)::bit varying
  from count_bitmap_source_rows;
  perform build_count_bitmap_registrations(the_app, the_number, first, next);
  perform build_count_bitmap_events(the_app, the_number, first, next);
  perform build_count_bitmap_tokens(the_app, the_number, first, next);
  return held;
end $$;
