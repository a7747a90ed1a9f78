-- Places by blocks: the devices of a block stand in the order of their places on the globe, those that have none at the
-- end. So the devices in a square of the globe are a run of bits. Why, and figures: docs/decisions/0010-blocks.md.

-- In the order of the block. A block that was sealed without them has null, and is sealed again
-- (devices/seal-store.ts); until then, the app's places are counted by rows (audiences/compile-blocks.ts).
alter table device_blocks
  add column codes double precision[], -- see place_code
  add column latitudes double precision[],
  add column longitudes double precision[];

-- They hardly compress, and trying takes time.
alter table device_blocks
  alter codes set storage external, alter latitudes set storage external, alter longitudes set storage external;

-- Where a place lies on a curve that goes through one quarter of the globe after another, and so within each quarter
-- (Morton's order): a whole number of 48 bits, of which the highest two are the quarter. A double, because those are
-- compared fastest. compile-place-cover.ts knows the order, and that rounding may bring a place into the square
-- beside its own.
create function place_code(latitude double precision, longitude double precision) returns double precision
  language plpgsql immutable strict parallel safe as $$
declare
  north bigint := least(floor((latitude + 90) / 180 * 16777216), 16777215);
  east bigint := least(floor((longitude + 180) / 360 * 16777216), 16777215);
begin
  -- Makes room for a bit of the one after each bit of the other.
  north := (north | (north << 16)) & x'0000FFFF0000FFFF'::bigint;
  north := (north | (north << 8)) & x'00FF00FF00FF00FF'::bigint;
  north := (north | (north << 4)) & x'0F0F0F0F0F0F0F0F'::bigint;
  north := (north | (north << 2)) & x'3333333333333333'::bigint;
  north := (north | (north << 1)) & x'5555555555555555'::bigint;
  east := (east | (east << 16)) & x'0000FFFF0000FFFF'::bigint;
  east := (east | (east << 8)) & x'00FF00FF00FF00FF'::bigint;
  east := (east | (east << 4)) & x'0F0F0F0F0F0F0F0F'::bigint;
  east := (east | (east << 2)) & x'3333333333333333'::bigint;
  east := (east | (east << 1)) & x'5555555555555555'::bigint;
  return (north << 1) | east;
end $$;

create function seal_device_places(the_app uuid, the_number integer) returns void language plpgsql as $$
begin
  update device_blocks
  set (codes, latitudes, longitudes) = (
    select coalesce(array_agg(place_code(latitude, longitude) order by place), '{}'),
      coalesce(array_agg(latitude order by place), '{}'),
      coalesce(array_agg(longitude order by place), '{}')
    from device_block_rows
    where latitude is not null and longitude is not null
  )
  where app_id = the_app and number = the_number;
end $$;

-- Whether the meridian of a place crosses an edge, which begins on it rather than ends there. By how far the ends are east
-- of the place, each from 0, without it, to 360: a corner beside the meridian lies to the same side of it for both edges
-- that meet there. By where the place is east of the edge's beginning, rounding took it for both or neither.
create function is_crossed(
  longitude double precision, west double precision, east double precision, width double precision
) returns boolean
  language sql immutable parallel safe -- and not strict, or it would be called, and not be part of the query
  return width = 360 or (east - longitude) - 360 * (ceil((east - longitude) / 360) - 1)
    < (west - longitude) - 360 * (ceil((west - longitude) / 360) - 1);

-- As 0002 has it, but for that; the release before goes on with its own.
create function within_rings(
  latitude double precision, longitude double precision, first integer, last integer, rings integer[],
  towards integer[], wests double precision[], easts double precision[], widths double precision[],
  west_latitudes double precision[], east_latitudes double precision[]
) returns boolean
  language sql immutable strict parallel safe
  return exists (
    select
    from unnest(rings[first:last], towards[first:last], wests[first:last], easts[first:last], widths[first:last],
      west_latitudes[first:last], east_latitudes[first:last])
      as edge (ring, towards, west, east, width, west_latitude, east_latitude)
    cross join lateral (
      select (longitude - edge.west) - 360 * floor((longitude - edge.west) / 360) as eastward
    ) as placed
    cross join lateral (
      select (latitude - edge.west_latitude) * edge.width
        - eastward * (edge.east_latitude - edge.west_latitude) as side
    ) as judged
    group by edge.ring
    having count(*) filter (where side * edge.towards > 0
        and is_crossed(longitude, edge.west, edge.east, edge.width)) % 2 = 1
      or bool_or(side = 0 and eastward <= edge.width and latitude
        between least(edge.west_latitude, edge.east_latitude) and greatest(edge.west_latitude, edge.east_latitude))
  );

-- As 0007 has it, but for the order of the devices in a block, their places, whether those are by GPS, and what is sealed
-- apart (migration 0009).
create or replace function seal_device_block(the_app uuid, the_number integer, first uuid, next uuid) returns integer
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
