-- What counting an audience looks at, beside the wide rows of devices. Why it has this shape, with figures:
-- docs/decisions/0004-targeting-storage.md.

-- A narrow row a device. Triggers on devices write it, nobody else. A column costs those after it time, also where it
-- is null: what has a fixed width comes first, and what few apps use comes last.
create table device_targets (
  app_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  registered_at timestamptz not null,
  on_ios boolean not null,
  development boolean not null,
  gps boolean not null, -- whether the place is sdk_location; else it is location
  badge integer,
  latitude double precision,
  longitude double precision,
  -- Custom attributes, in the columns that custom_columns names. Whole are integers, and dates in milliseconds
  -- since 1970.
  whole_1 bigint, whole_2 bigint, whole_3 bigint, whole_4 bigint,
  real_1 double precision, real_2 double precision,
  flag_1 boolean, flag_2 boolean,
  country text,
  locale text,
  os_name text,
  os_version text,
  app_version text,
  notifications_allowed text not null,
  time_zone text,
  marketing_name text,
  text_1 text, text_2 text, text_3 text, text_4 text,
  tags jsonb, -- a list of texts, which takes less than an array of them; null where there are none
  sdk_version text,
  whole_5 bigint, whole_6 bigint, whole_7 bigint, whole_8 bigint,
  whole_9 bigint, whole_10 bigint, whole_11 bigint, whole_12 bigint,
  real_3 double precision, real_4 double precision,
  flag_3 boolean, flag_4 boolean, flag_5 boolean, flag_6 boolean,
  text_5 text, text_6 text, text_7 text, text_8 text, text_9 text, text_10 text,
  -- What of devices.custom no column holds: arrays, and attributes that found all columns taken.
  rest jsonb -- {"<type> <name>": <value>}
);

-- Which attributes the columns of device_targets hold, in their order: of each kind the first that an app used.
create table custom_columns (
  app_id uuid primary key references apps,
  whole text[] not null default '{}',
  whole_types text[] not null default '{}',
  real text[] not null default '{}',
  flag text[] not null default '{}',
  text text[] not null default '{}',
  also_in_rest text[] not null default '{}' -- '<type> <name>' of those that some device had as an array, ever
);

-- A custom attribute as a column holds it; null where it is absent, of another type, or an array.
create function custom_whole(custom jsonb, type text, name text) returns bigint
  language sql stable parallel safe
  return case when custom -> name ->> 'type' = type then
    case jsonb_typeof(custom -> name -> 'value')
      when 'number' then (custom -> name -> 'value')::bigint
      when 'string' then (extract(epoch from (custom -> name ->> 'value')::timestamptz) * 1000)::bigint
    end
  end;
create function custom_real(custom jsonb, name text) returns double precision
  language sql immutable parallel safe
  return case when custom -> name ->> 'type' = 'float' and jsonb_typeof(custom -> name -> 'value') = 'number'
    then (custom -> name -> 'value')::double precision end;
create function custom_flag(custom jsonb, name text) returns boolean
  language sql immutable parallel safe
  return case when custom -> name ->> 'type' = 'boolean' then (custom -> name -> 'value')::boolean end;
create function custom_text(custom jsonb, name text) returns text
  language sql immutable parallel safe
  return case when custom -> name ->> 'type' = 'string' and jsonb_typeof(custom -> name -> 'value') = 'string'
    then custom -> name ->> 'value' end;

-- '<type> <name>' of every attribute that has a column.
create function attributes_held(columns custom_columns) returns text[]
  language sql immutable
  return array(select type || ' ' || name from unnest(columns.whole_types, columns.whole) as whole (type, name))
    || array(select 'float ' || name from unnest(columns.real) as name)
    || array(select 'boolean ' || name from unnest(columns.flag) as name)
    || array(select 'string ' || name from unnest(columns.text) as name);

create function has_free_column(columns custom_columns, attribute text) returns boolean
  language sql immutable
  return case split_part(attribute, ' ', 1)
    when 'string' then coalesce(cardinality(columns.text), 0) < 10
    when 'float' then coalesce(cardinality(columns.real), 0) < 4
    when 'boolean' then coalesce(cardinality(columns.flag), 0) < 6
    else coalesce(cardinality(columns.whole), 0) < 12
  end;

-- Gives columns to attributes ('<type> <name>') that have none, as long as there are any. One call after the other,
-- so that no column is given twice.
create function give_custom_columns(the_app uuid, shown text[], arrays text[]) returns custom_columns
  language plpgsql as $$
declare
  columns custom_columns;
  attribute text;
  name text;
begin
  insert into custom_columns (app_id) values (the_app) on conflict do nothing;
  select * into columns from custom_columns where app_id = the_app for update;
  foreach attribute in array shown loop
    continue when attribute = any (attributes_held(columns)) or not has_free_column(columns, attribute);
    name := substr(attribute, strpos(attribute, ' ') + 1);
    case split_part(attribute, ' ', 1)
      when 'string' then columns.text := columns.text || name;
      when 'float' then columns.real := columns.real || name;
      when 'boolean' then columns.flag := columns.flag || name;
      else
        columns.whole := columns.whole || name;
        columns.whole_types := columns.whole_types || split_part(attribute, ' ', 1);
    end case;
  end loop;
  columns.also_in_rest := array(
    select unnest(columns.also_in_rest)
    union
    (select unnest(arrays) intersect select unnest(attributes_held(columns)))
  );
  update custom_columns
  set whole = columns.whole, whole_types = columns.whole_types, real = columns.real, flag = columns.flag,
    text = columns.text, also_in_rest = columns.also_in_rest
  where app_id = the_app;
  return columns;
end $$;

-- Brings device_targets up to date with the devices that a statement has changed.
create function keep_device_targets() returns trigger language plpgsql as $$
declare
  app uuid;
  columns custom_columns;
  held text[];
  shown text[]; -- '<type> <name>' of every custom attribute of these devices
  arrays text[]; -- those of them that a device has as an array
  others text[]; -- those of them that may be among the rest
begin
  -- In the order of apps, so that two calls that give columns wait in a line and not in a circle.
  for app in select distinct app_id from changed order by app_id loop
    select * into columns from custom_columns where app_id = app;
    held := attributes_held(columns);
    select coalesce(array_agg(attribute), '{}'), coalesce(array_agg(attribute) filter (where is_array), '{}')
    into shown, arrays
    from (
      select said ->> 'type' || ' ' || name as attribute, bool_or(jsonb_typeof(said -> 'value') = 'array') as is_array
      from changed, jsonb_each(custom) as attribute (name, said)
      where app_id = app
      group by attribute
      order by attribute
    ) as attributes;
    if exists (
      select from unnest(shown) as attribute
      where attribute <> all (held) and has_free_column(columns, attribute)
        or attribute = any (arrays) and attribute = any (held) and attribute <> all (columns.also_in_rest)
    ) then
      columns := give_custom_columns(app, shown, arrays);
      held := attributes_held(columns);
    end if;
    others := array(
      select attribute from unnest(shown) as attribute where attribute = any (arrays) or attribute <> all (held)
    );

    insert into device_targets as known (
      app_id, id, created_at, registered_at, on_ios, development, gps, badge, latitude, longitude, whole_1,
      whole_2, whole_3, whole_4, real_1, real_2, flag_1, flag_2, country, locale, os_name, os_version,
      app_version, notifications_allowed, time_zone, marketing_name, text_1, text_2, text_3, text_4, tags,
      sdk_version, whole_5, whole_6, whole_7, whole_8, whole_9, whole_10, whole_11, whole_12, real_3, real_4,
      flag_3, flag_4, flag_5, flag_6, text_5, text_6, text_7, text_8, text_9, text_10, rest
    )
    select
      app_id, id, created_at, registered_at, platform = 'iOS', development, sdk_latitude is not null, badge,
      coalesce(sdk_latitude, latitude), coalesce(sdk_longitude, longitude),
      custom_whole(custom, columns.whole_types[1], columns.whole[1]),
      custom_whole(custom, columns.whole_types[2], columns.whole[2]),
      custom_whole(custom, columns.whole_types[3], columns.whole[3]),
      custom_whole(custom, columns.whole_types[4], columns.whole[4]), custom_real(custom, columns.real[1]),
      custom_real(custom, columns.real[2]), custom_flag(custom, columns.flag[1]),
      custom_flag(custom, columns.flag[2]), country, locale, os_name, os_version, app_version,
      notifications_allowed, time_zone, marketing_name, custom_text(custom, columns.text[1]),
      custom_text(custom, columns.text[2]), custom_text(custom, columns.text[3]),
      custom_text(custom, columns.text[4]), case when tags <> '{}' then to_jsonb(tags) end, sdk_version,
      custom_whole(custom, columns.whole_types[5], columns.whole[5]),
      custom_whole(custom, columns.whole_types[6], columns.whole[6]),
      custom_whole(custom, columns.whole_types[7], columns.whole[7]),
      custom_whole(custom, columns.whole_types[8], columns.whole[8]),
      custom_whole(custom, columns.whole_types[9], columns.whole[9]),
      custom_whole(custom, columns.whole_types[10], columns.whole[10]),
      custom_whole(custom, columns.whole_types[11], columns.whole[11]),
      custom_whole(custom, columns.whole_types[12], columns.whole[12]), custom_real(custom, columns.real[3]),
      custom_real(custom, columns.real[4]), custom_flag(custom, columns.flag[3]),
      custom_flag(custom, columns.flag[4]), custom_flag(custom, columns.flag[5]),
      custom_flag(custom, columns.flag[6]), custom_text(custom, columns.text[5]),
      custom_text(custom, columns.text[6]), custom_text(custom, columns.text[7]),
      custom_text(custom, columns.text[8]), custom_text(custom, columns.text[9]),
      custom_text(custom, columns.text[10]),
      case when others <> '{}' then (
        select jsonb_object_agg(attribute, custom -> name -> 'value')
        from unnest(others) as attribute, substr(attribute, strpos(attribute, ' ') + 1) as name
        where custom -> name ->> 'type' || ' ' || name = attribute
          and (jsonb_typeof(custom -> name -> 'value') = 'array' or attribute <> all (held))
      ) end
    from changed
    where app_id = app
    on conflict (app_id, id) do update set
      created_at = excluded.created_at, registered_at = excluded.registered_at, on_ios = excluded.on_ios,
      development = excluded.development, gps = excluded.gps, badge = excluded.badge,
      latitude = excluded.latitude, longitude = excluded.longitude, whole_1 = excluded.whole_1,
      whole_2 = excluded.whole_2, whole_3 = excluded.whole_3, whole_4 = excluded.whole_4,
      real_1 = excluded.real_1, real_2 = excluded.real_2, flag_1 = excluded.flag_1, flag_2 = excluded.flag_2,
      country = excluded.country, locale = excluded.locale, os_name = excluded.os_name,
      os_version = excluded.os_version, app_version = excluded.app_version,
      notifications_allowed = excluded.notifications_allowed, time_zone = excluded.time_zone,
      marketing_name = excluded.marketing_name, text_1 = excluded.text_1, text_2 = excluded.text_2,
      text_3 = excluded.text_3, text_4 = excluded.text_4, tags = excluded.tags,
      sdk_version = excluded.sdk_version, whole_5 = excluded.whole_5, whole_6 = excluded.whole_6,
      whole_7 = excluded.whole_7, whole_8 = excluded.whole_8, whole_9 = excluded.whole_9,
      whole_10 = excluded.whole_10, whole_11 = excluded.whole_11, whole_12 = excluded.whole_12,
      real_3 = excluded.real_3, real_4 = excluded.real_4, flag_3 = excluded.flag_3, flag_4 = excluded.flag_4,
      flag_5 = excluded.flag_5, flag_6 = excluded.flag_6, text_5 = excluded.text_5, text_6 = excluded.text_6,
      text_7 = excluded.text_7, text_8 = excluded.text_8, text_9 = excluded.text_9, text_10 = excluded.text_10,
      rest = excluded.rest
    where known is distinct from excluded;
  end loop;
  return null;
end $$;

create function drop_device_targets() returns trigger language plpgsql as $$
begin
  delete from device_targets as target using removed
  where target.app_id = removed.app_id and target.id = removed.id;
  return null;
end $$;

create trigger device_targets_insert after insert on devices
  referencing new table as changed for each statement execute function keep_device_targets();
create trigger device_targets_update after update on devices
  referencing new table as changed for each statement execute function keep_device_targets();
create trigger device_targets_delete after delete on devices
  referencing old table as removed for each statement execute function drop_device_targets();

alter table device_targets add primary key (app_id, id);

-- The devices there are, as if they arrived now. The lock that the triggers took keeps them as they are meanwhile.
create temporary table arriving (like devices) on commit drop;
create trigger arriving_insert after insert on arriving
  referencing new table as changed for each statement execute function keep_device_targets();
do $$
declare
  app uuid;
  part text;
begin
  for app in select id from apps loop
    for part in select lpad(to_hex(n), 2, '0') from generate_series(0, 255) as n loop
      insert into arriving
      select * from devices
      where app_id = app and id between rpad(part, 32, '0')::uuid and rpad(part, 32, 'f')::uuid;
      truncate arriving;
    end loop;
  end loop;
end $$;

-- Numbers and dates are counted in their index alone, where the answer is broad. Texts and flags are combined:
-- Postgres intersects indexes only where no condition is in both, so theirs do without the app.
create index device_targets_created_at on device_targets (app_id, created_at);
create index device_targets_registered_at on device_targets (app_id, registered_at);
create index device_targets_badge on device_targets (app_id, badge) where badge > 0; -- nearly all have none, or 0
create index device_targets_place on device_targets (app_id, latitude, longitude) where latitude is not null;
create index device_targets_development on device_targets (development) where development;
create index device_targets_flag_1 on device_targets (flag_1) where flag_1;
create index device_targets_flag_2 on device_targets (flag_2) where flag_2;
create index device_targets_flag_3 on device_targets (flag_3) where flag_3;
create index device_targets_flag_4 on device_targets (flag_4) where flag_4;
create index device_targets_flag_5 on device_targets (flag_5) where flag_5;
create index device_targets_flag_6 on device_targets (flag_6) where flag_6;
create index device_targets_os_version on device_targets (os_version);
create index device_targets_app_version on device_targets (app_version);
create index device_targets_sdk_version on device_targets (sdk_version);
create index device_targets_country on device_targets (country);
create index device_targets_locale on device_targets (locale);
create index device_targets_time_zone on device_targets (time_zone);
create index device_targets_marketing_name on device_targets (marketing_name);
create index device_targets_tags on device_targets using gin (tags);
create index device_targets_rest on device_targets using gin (rest jsonb_path_ops) where rest is not null;
do $$
declare
  name text;
begin
  for name in
    select attname from pg_attribute
    where attrelid = 'device_targets'::regclass and attname ~ '^(whole|real|text)_' order by attnum
  loop
    execute format('create index device_targets_%1$s on device_targets (%2$s%1$I) where %1$I is not null',
      name, case when name like 'text%' then '' else 'app_id, ' end);
  end loop;
end $$;

-- Users are few devices each: filters on them look here.
create index devices_user_email on devices (app_id, user_email) where user_email is not null;

-- Holds all that a filter asks of an event, so that counting reads no more than this.
drop index device_events_name;
create index device_events_name on device_events (app_id, name, device_id) include (count, last_happened_at);

-- Whether a place lies within a circle: the haversine formula, on a sphere (audiences/place.ts).
create function within_circle(
  latitude double precision, longitude double precision,
  center_latitude double precision, center_longitude double precision, haversine double precision
) returns boolean
  language sql immutable strict parallel safe
  return power(sin(radians(latitude - center_latitude) / 2), 2)
    + cos(radians(latitude)) * cos(radians(center_latitude))
    * power(sin(radians(longitude - center_longitude) / 2), 2) <= haversine;

-- Whether it lies within one of many circles. A function, as the next one, because Postgres runs no correlated
-- subquery in parallel.
create function within_circles(
  latitude double precision, longitude double precision,
  latitudes double precision[], longitudes double precision[], haversines double precision[]
) returns boolean
  language sql immutable strict parallel safe
  return exists (
    select from unnest(latitudes, longitudes, haversines) as center (center_latitude, center_longitude, haversine)
    where within_circle(latitude, longitude, center_latitude, center_longitude, haversine)
  );

-- Whether a place lies within one of the rings. Goes from the place along its meridian towards one pole and counts
-- the edges that it crosses: inside where they are odd in number, or where the place lies on an edge. `eastward` is
-- how far the place lies east of where the edge begins; `side` is positive where it lies north of the edge, 0 where
-- on its line. `first` to `last` are the edges that its meridian may cross; `towards` is where those to count lie.
create function within_rings(
  latitude double precision, longitude double precision, first integer, last integer, rings integer[],
  towards integer[], wests double precision[], widths double precision[],
  west_latitudes double precision[], east_latitudes double precision[]
) returns boolean
  language sql immutable strict parallel safe
  return exists (
    select
    from unnest(rings[first:last], towards[first:last], wests[first:last], widths[first:last],
      west_latitudes[first:last], east_latitudes[first:last])
      as edge (ring, towards, west, width, west_latitude, east_latitude)
    cross join lateral (
      select (longitude - edge.west) - 360 * floor((longitude - edge.west) / 360) as eastward
    ) as placed
    cross join lateral (
      select (latitude - edge.west_latitude) * edge.width
        - eastward * (edge.east_latitude - edge.west_latitude) as side
    ) as judged
    group by edge.ring
    having count(*) filter (where eastward < edge.width and side * edge.towards > 0) % 2 = 1
      or bool_or(side = 0 and eastward <= edge.width and latitude
        between least(edge.west_latitude, edge.east_latitude) and greatest(edge.west_latitude, edge.east_latitude))
  );
