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
