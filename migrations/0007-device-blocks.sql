-- Bitmaps by which the devices of a large app are counted. Why, how they are kept exact, and figures:
-- docs/decisions/0010-blocks.md.
--
-- An app of many devices is laid out in blocks of ids. A job seals a block (devices/seal.ts): it writes down, as
-- bitmaps over the block's devices, what their rows in device_targets say. What enters device_targets or leaves it from
-- then on goes to device_targets_since as well, with its sign. At every moment, the bitmaps and those signed rows
-- together are what device_targets itself holds (without device_targets_fresh): a count adds them up. Nobody who
-- writes devices waits for a seal, and no seal for them.

create table device_layouts (
  app_id uuid primary key references apps,
  firsts uuid[] not null -- the first id of each block; the first of all is the least there is
);

create table device_blocks (
  app_id uuid not null,
  number integer not null, -- from 1
  devices integer not null,
  nobody bit varying not null, -- the bitmap of no device: as long as all of the block
  left_out text[] not null, -- columns, and names of lists, with too many values to be worth bitmaps
  primary key (app_id, number)
);

-- A column of device_targets. Its values in order, each once, and for every device which of them it has, counted
-- from 1, or 0 for none: the first slice is the lowest binary digit of all devices' numbers. So any values, whatever
-- their type, are as few bitmaps as their number has digits.
create table device_block_columns (
  app_id uuid not null,
  number integer not null,
  name text not null,
  wholes bigint[], -- of times, microseconds since 1970; of flags, 0 and 1
  reals double precision[],
  texts text[] collate "C",
  slices bit varying[] not null,
  primary key (app_id, number, name)
);

-- Where a device may have several values: tags, and texts of device_targets.rest, by their '<type> <name>' there.
create table device_block_lists (
  app_id uuid not null,
  number integer not null,
  name text not null,
  value text collate "C" not null,
  bits bit varying, -- where many devices have the value,
  places smallint[], -- and where few do: their places in the block, from 0, in order
  primary key (app_id, number, name, value)
);

-- They hardly compress, and trying takes time.
alter table device_block_columns
  alter wholes set storage external, alter reals set storage external, alter texts set storage external,
  alter slices set storage external;
alter table device_block_lists alter bits set storage external;

-- The columns of device_targets in their order, and the sign: one that is added there is added here.
create table device_targets_since (like device_targets, sign smallint not null);

create function note_device_target() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from device_layouts where app_id = new.app_id) then
      insert into device_targets_since select new.*, 1;
    end if;
  elsif exists (select from device_layouts where app_id = old.app_id) then
    insert into device_targets_since select old.*, -1;
  end if;
  return null;
end $$;

-- A row at a time, which those of device_targets_fresh do not set off.
create trigger device_targets_since after insert or delete on device_targets
  for each row execute function note_device_target();

-- The devices whose number is at least so high.
create function bits_from(slices bit varying[], lowest integer) returns bit varying
  language plpgsql immutable strict parallel safe as $$
declare
  result bit varying; -- null while it is everybody
begin
  if lowest >= 1 << cardinality(slices) then
    return slices[1] & ~slices[1];
  end if;
  for digit in 1..cardinality(slices) loop
    if lowest & (1 << (digit - 1)) <> 0 then
      result := case when result is null then slices[digit] else slices[digit] & result end;
    elsif result is not null then
      result := slices[digit] | result;
    end if;
  end loop;
  return coalesce(result, slices[1] | ~slices[1]);
end $$;

-- The devices that have the value of one number, from 1.
create function bits_at(slices bit varying[], rank integer) returns bit varying
  language plpgsql immutable strict parallel safe as $$
declare
  result bit varying;
  others bit varying; -- those that have a digit which the number lacks
begin
  for digit in 1..cardinality(slices) loop
    if rank & (1 << (digit - 1)) <> 0 then
      result := case when result is null then slices[digit] else slices[digit] & result end;
    else
      others := case when others is null then slices[digit] else slices[digit] | others end;
    end if;
  end loop;
  return case when others is null then result else result & ~others end;
end $$;

-- The devices whose value lies in one of the spans, to both of whose ends it may be equal. Spans whose values follow
-- on one another are looked for at once.
create function bits_within(slices bit varying[], known anyarray, froms anyarray, tos anyarray) returns bit varying
  language plpgsql immutable strict parallel safe as $$
declare
  result bit varying := slices[1] & ~slices[1];
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
      result := result | bits_at(slices, low);
    elsif low < high then
      result := result | (bits_from(slices, low) & ~bits_from(slices, high + 1));
    end if;
    low := next_low;
    high := next_high;
  end loop;
  return result;
end $$;

-- The bitmap of places in order; `devices` is how many there are.
create function bits_of_places(places smallint[], devices integer) returns bit varying
  language sql immutable strict parallel safe
  return (
    select (string_agg(repeat('0', place - before - 1) || '1', '' order by place)
      || repeat('0', devices - 1 - max(place)))::bit varying
    from (
      select place, lag(place, 1, -1::smallint) over (order by place) as before
      from unnest(places) as place
    ) as gaps
  );

-- Seals a column of what device_block_rows holds: `kind` is where its values go, `value` the expression of them.
-- False where they are too many: by texts that hardly two devices share, nobody counts but in their B-tree.
create function seal_device_column(the_app uuid, the_number integer, column_name text, kind text, value text)
  returns boolean
  language plpgsql as $$
declare
  known integer;
  digits integer := 1;
begin
  execute format('select count(*) from (select distinct %1$s from device_block_rows where %1$s is not null) as each',
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
      from (select distinct %1$s as value from device_block_rows where %1$s is not null) as each
    )
    insert into device_block_columns (app_id, number, name, %2$I, slices)
    select $1, $2, $3, (select array_agg(value order by rank) from known), array[%3$s]
    from (
      select coalesce(rank, 0)::integer as rank
      from device_block_rows left join known on known.value = %1$s
      order by place
    ) as ranked
  $sql$, value, kind, (
    select string_agg(
      format($slice$string_agg(case when rank & %s = 0 then '0' else '1' end, '')::bit varying$slice$, 1 << digit),
      ', ' order by digit)
    from generate_series(0, digits - 1) as digit
  )) using the_app, the_number, column_name;
  return true;
end $$;

-- In a transaction of which every statement sees the same (`repeatable read`): what is forgotten of
-- device_targets_since is what the bitmaps hold. `next` is the first id of the next block. Returns how many devices the
-- block has; beyond 32,767 it is not sealed. Devices stand in the order of their places (migration 0010); what is sealed
-- apart from the rest is of migration 0009.
create function seal_device_block(the_app uuid, the_number integer, first uuid, next uuid) returns integer
  language plpgsql as $$
declare
  held integer;
  column_name text;
  kind text;
  expression text;
  too_many text[] := '{}';
begin
  if to_regclass('pg_temp.device_block_rows') is null then
    create temporary table device_block_rows (like device_targets, place integer) on commit delete rows;
  end if;
  insert into device_block_rows
  select t.*, row_number() over (order by place_code(latitude, longitude), id) - 1 from only device_targets as t
  where app_id = the_app and id >= first and (next is null or id < next);
  get diagnostics held = row_count;
  if held > 32767 then
    return held;
  end if;

  delete from device_targets_since where app_id = the_app and id >= first and (next is null or id < next);
  delete from device_blocks where app_id = the_app and number = the_number;
  delete from device_block_columns where app_id = the_app and number = the_number;
  delete from device_block_lists where app_id = the_app and number = the_number;

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
      and attname <> all ('{app_id, id, latitude, longitude, tags, rest}')
    order by attnum
  loop
    if not seal_device_column(the_app, the_number, column_name, kind, expression) then
      too_many := too_many || column_name;
    end if;
  end loop;

  with listed as (
    select distinct place, 'tags' as name, tag collate "C" as value
    from device_block_rows, jsonb_array_elements_text(tags) as tag
    union
    select place, other.name, element collate "C"
    from device_block_rows, jsonb_each(rest) as other (name, said),
      jsonb_array_elements_text(case jsonb_typeof(said) when 'array' then said else jsonb_build_array(said) end)
        as element
    where other.name like 'string %'
  ), grouped as (
    select name, value, array_agg(place::smallint order by place) as places, count(*) over (partition by name) as known
    from listed
    group by name, value
  ), kept as (
    insert into device_block_lists
    select the_app, the_number, name, value,
      case when cardinality(places) * 64 >= held then bits_of_places(places, held) end,
      case when cardinality(places) * 64 < held then places end
    from grouped
    where known <= 8192
  )
  select too_many || coalesce(array_agg(distinct name), '{}') into too_many from grouped where known > 8192;

  insert into device_blocks (app_id, number, devices, nobody, left_out)
  values (the_app, the_number, held, repeat('0', held)::bit varying, too_many);
  perform seal_device_places(the_app, the_number);
  perform seal_device_block_apart(the_app, the_number, first, next);
  return held;
end $$;
