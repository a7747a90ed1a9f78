-- Targeting rows: the attributes that filters look at, stored apart from the wide rows of devices, so that counting reads
-- little. Reasons and figures: docs/decisions/0004-targeting-storage.md.

-- One narrow row per device, written by triggers on devices only. A column slows down reading the columns after it,
-- even if it is null: so columns of fixed width come first, and columns that few apps use come last.
create table device_targets (
  app_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  on_ios boolean not null,
  development boolean not null,
  gps boolean not null, -- true if latitude and longitude come from sdk_location; false if they come from location
  badge integer,
  latitude double precision,
  longitude double precision,
  -- Custom attributes, in the columns that custom_columns assigns. `whole` are integers, and dates in milliseconds since
  -- 1970.
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
  tags jsonb, -- an array of strings, which is smaller than text[]; null if there are none
  sdk_version text,
  whole_5 bigint, whole_6 bigint, whole_7 bigint, whole_8 bigint,
  whole_9 bigint, whole_10 bigint, whole_11 bigint, whole_12 bigint,
  real_3 double precision, real_4 double precision,
  flag_3 boolean, flag_4 boolean, flag_5 boolean, flag_6 boolean,
  text_5 text, text_6 text, text_7 text, text_8 text, text_9 text, text_10 text,
  -- Custom attributes without a column: arrays, and attributes that were new when all columns were assigned.
  rest jsonb, -- {"<type> <name>": <value>}
  primary key (app_id, id)
);

-- Targeting rows of an import or another large batch, until a job moves them to device_targets
-- (src/targeting/rows/index-deferred.ts). They are deferred because some twenty index entries are most of the cost of a new
-- device. The only
-- index here is the key, so a count scans the whole table. It inherits from device_targets, so a read or delete there
-- includes both; `only device_targets` leaves these rows out.
create table device_targets_unindexed () inherits (device_targets);
alter table device_targets_unindexed add primary key (app_id, id);

-- When a device last registered. Most starts of an app change nothing else. The time is not in device_targets, so that such a
-- start does not write a new version of a row with twenty index entries.
create table device_registrations (
  app_id uuid not null,
  id uuid not null,
  registered_at timestamptz not null,
  primary key (app_id, id)
);
create index device_registrations_registered_at on device_registrations (app_id, registered_at);

-- Which custom attributes the columns of device_targets hold, in the order of the columns. The first attributes of each kind
-- that an app uses get a column.
create table custom_columns (
  app_id uuid primary key references apps,
  whole text[] not null default '{}',
  whole_types text[] not null default '{}',
  real text[] not null default '{}',
  flag text[] not null default '{}',
  text text[] not null default '{}',
  held text[] not null default '{}', -- all of these, as '<type> <name>'
  also_in_rest text[] not null default '{}' -- those that have been an array on any device, as '<type> <name>'
);

-- Numbers and dates are counted from their index alone, even if many rows match. Filters on texts and flags are often
-- combined. Postgres intersects two indexes only if they share no condition, so these indexes do not begin with the app.
create index device_targets_created_at on device_targets (app_id, created_at);
create index device_targets_badge on device_targets (app_id, badge) where badge > 0; -- nearly all are null or 0
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

-- The value of a custom attribute as its column holds it; null if it is absent, of another type, or an array.
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

create function has_free_column(columns custom_columns, attribute text) returns boolean
  language sql immutable
  return case split_part(attribute, ' ', 1)
    when 'string' then cardinality(columns.text) < 10
    when 'float' then cardinality(columns.real) < 4
    when 'boolean' then cardinality(columns.flag) < 6
    else cardinality(columns.whole) < 12
  end;

-- Assigns free columns to the attributes ('<type> <name>') that have none. The row lock serialises calls, so that no column is
-- assigned twice.
create function assign_custom_columns(the_app uuid, shown text[], arrays text[]) returns custom_columns
  language plpgsql as $$
declare
  columns custom_columns;
  attribute text;
  name text;
begin
  insert into custom_columns (app_id) values (the_app) on conflict do nothing;
  select * into columns from custom_columns where app_id = the_app for update;
  foreach attribute in array shown loop
    continue when attribute = any (columns.held) or not has_free_column(columns, attribute);
    name := substr(attribute, strpos(attribute, ' ') + 1);
    case split_part(attribute, ' ', 1)
      when 'string' then columns.text := columns.text || name;
      when 'float' then columns.real := columns.real || name;
      when 'boolean' then columns.flag := columns.flag || name;
      else
        columns.whole := columns.whole || name;
        columns.whole_types := columns.whole_types || split_part(attribute, ' ', 1);
    end case;
    columns.held := columns.held || attribute;
  end loop;
  columns.also_in_rest := array(
    select unnest(columns.also_in_rest)
    union
    (select unnest(arrays) intersect select unnest(columns.held))
  );
  update custom_columns
  set whole = columns.whole, whole_types = columns.whole_types, real = columns.real, flag = columns.flag,
    text = columns.text, held = columns.held, also_in_rest = columns.also_in_rest
  where app_id = the_app;
  return columns;
end $$;

-- Deletes the targeting rows of devices that the caller has locked. If a row is being moved from the unindexed table, the
-- first statement waits; then the row is gone there, and its snapshot does not include the moved row. The second statement
-- sees it, because rows move in one direction only. `(select the_app)` hides the app from the planner
-- (docs/decisions/0011-new-apps.md).
create function delete_device_targets(the_app uuid, ids uuid[]) returns void
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

-- Returns the text of a statement that inserts targeting rows for the devices in `changed` of app $1. The statement has an
-- expression for each attribute with a column, which takes 8 µs less per device than the general statement in
-- write_device_targets; but planning it takes longer than writing a few rows. It returns the attributes written to `rest`,
-- and those of them that are arrays, except those in $2, as '<type> <name>'.
create function bulk_targets_statement(target text, columns custom_columns) returns text
  language sql stable
  return (
    select format(
      $statement$
      with written as (
        insert into %I (
          app_id, id, created_at, on_ios, development, gps, badge, latitude, longitude,
          country, locale, os_name, os_version, app_version, notifications_allowed, time_zone, marketing_name,
          tags, sdk_version, rest%s
        )
        select
          app_id, id, created_at, platform = 'iOS', development, sdk_latitude is not null, badge,
          coalesce(sdk_latitude, latitude), coalesce(sdk_longitude, longitude),
          country, locale, os_name, os_version, app_version, notifications_allowed, time_zone, marketing_name,
          case when tags <> '{}' then to_jsonb(tags) end, sdk_version,
          case when others <> '{}' then (
            select jsonb_object_agg(entry ->> 'type' || ' ' || name, entry -> 'value')
            from jsonb_each(others) as attribute (name, entry)
          ) end%s
        from (
          select *, custom - array[%s]::text[] as others
          from (select *%s from changed where app_id = $1 offset 0) as spread
          offset 0
        ) as source
        returning rest
      )
      select array_agg(attribute), array_agg(attribute) filter (where is_array)
      from (
        select attribute, bool_or(jsonb_typeof(value) = 'array') as is_array
        from written, jsonb_each(rest) as other (attribute, value)
        where attribute <> all ($2)
        group by attribute
        order by attribute
      ) as others
      $statement$,
      target,
      string_agg(', ' || column_name, ''),
      string_agg(', ' || column_name, ''),
      string_agg(format('case when %s is not null then %L end', column_name, name), ', '),
      string_agg(format(', %s as %s', value, column_name), '')
    )
    from (
      select 'whole_' || number, name, format('custom_whole(custom, %L, %L)', type, name)
      from unnest(columns.whole_types, columns.whole) with ordinality as whole (type, name, number)
      union all
      select 'real_' || number, name, format('custom_real(custom, %L)', name)
      from unnest(columns.real) with ordinality as "real" (name, number)
      union all
      select 'flag_' || number, name, format('custom_flag(custom, %L)', name)
      from unnest(columns.flag) with ordinality as flag (name, number)
      union all
      select 'text_' || number, name, format('custom_text(custom, %L)', name)
      from unnest(columns.text) with ordinality as text (name, number)
    ) as held (column_name, name, value)
  );

-- Updates device_targets and device_registrations for the devices that a statement has inserted or updated. Plans stay
-- cached while the tables grow, and must suit both one row and thousands. So nothing is joined with these tables, and their
-- rows are looked up by key (sequential scans are off).
create function write_device_targets() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  app uuid;
  devices bigint;
  many boolean;
  unindexed boolean; -- whether the rows go to device_targets_unindexed
  columns custom_columns;
  shown text[]; -- '<type> <name>' of the custom attributes that were written to `rest`
  arrays text[]; -- the attributes among them that some device has as an array
begin
  if tg_op = 'UPDATE' then
    insert into device_registrations as known select app_id, id, registered_at from changed
    on conflict (app_id, id) do update set registered_at = excluded.registered_at
    where known.registered_at <> excluded.registered_at;
    -- Usually a device registers with unchanged attributes.
    if not exists (
      select app_id, id, created_at, platform, development, badge, latitude, longitude, sdk_latitude, sdk_longitude,
        country, locale, os_name, os_version, app_version, sdk_version, notifications_allowed, time_zone,
        marketing_name, tags, custom
      from changed
      except all
      select app_id, id, created_at, platform, development, badge, latitude, longitude, sdk_latitude, sdk_longitude,
        country, locale, os_name, os_version, app_version, sdk_version, notifications_allowed, time_zone,
        marketing_name, tags, custom
      from before
    ) then
      return null;
    end if;
  else
    insert into device_registrations select app_id, id, registered_at from changed;
  end if;

  -- Sorted by app, so that two calls that assign columns do not deadlock.
  for app, devices in select app_id, count(*) from changed group by app_id order by app_id loop
    -- A small batch is not worth moving. The table is limited to 400 MiB, a million devices, because every count scans it.
    many := tg_table_name = 'devices' and devices >= 200;
    unindexed := many and pg_relation_size('device_targets_unindexed') < 400 * 1024 * 1024;
    if unindexed then
      -- Blocks the job that moves rows until this transaction ends. The job takes the lock exclusively, for a tenth of
      -- a second, and only if it is free. Without the lock, the job would not see that rows are being inserted.
      perform pg_advisory_xact_lock_shared(hashtextextended('device_targets_unindexed', 0));
    end if;
    select * into columns from custom_columns where app_id = app;
    if not found then
      columns := assign_custom_columns(app, '{}', '{}');
    end if;
    if tg_op = 'UPDATE' then
      perform delete_device_targets(app, array(select id from changed where app_id = app));
    end if;
    -- Usually runs once. If an attribute in `rest` can get a column, the column is assigned and the rows are written
    -- again.
    loop
      if many then
        execute bulk_targets_statement(
          case when unindexed then 'device_targets_unindexed' else 'device_targets' end, columns)
        into shown, arrays using app, columns.also_in_rest;
      else
        with narrow (
          app_id, id, created_at, on_ios, development, gps, badge, latitude, longitude,
          whole_1, whole_2, whole_3, whole_4, real_1, real_2, flag_1, flag_2,
          country, locale, os_name, os_version, app_version, notifications_allowed, time_zone, marketing_name,
          text_1, text_2, text_3, text_4, tags, sdk_version,
          whole_5, whole_6, whole_7, whole_8, whole_9, whole_10, whole_11, whole_12,
          real_3, real_4, flag_3, flag_4, flag_5, flag_6, text_5, text_6, text_7, text_8, text_9, text_10, rest
        ) as (
          select
            app_id, id, created_at, platform = 'iOS', development, sdk_latitude is not null, badge,
            coalesce(sdk_latitude, latitude), coalesce(sdk_longitude, longitude),
            whole[1], whole[2], whole[3], whole[4], "real"[1], "real"[2], flag[1], flag[2],
            country, locale, os_name, os_version, app_version, notifications_allowed, time_zone, marketing_name,
            text[1], text[2], text[3], text[4], case when tags <> '{}' then to_jsonb(tags) end, sdk_version,
            whole[5], whole[6], whole[7], whole[8], whole[9], whole[10], whole[11], whole[12],
            "real"[3], "real"[4], flag[3], flag[4], flag[5], flag[6], text[5], text[6], text[7], text[8], text[9], text[10],
            case when (select count(*) from jsonb_object_keys(custom)) > num_nonnulls(variadic whole)
              + num_nonnulls(variadic "real") + num_nonnulls(variadic flag) + num_nonnulls(variadic text)
            then (
              select jsonb_object_agg(entry ->> 'type' || ' ' || name, entry -> 'value')
              from jsonb_each(custom) as attribute (name, entry)
              where jsonb_typeof(entry -> 'value') = 'array' or entry ->> 'type' || ' ' || name <> all (columns.held)
            ) end
          from (
            select *,
              array(
                select custom_whole(custom, type, name)
                from unnest(columns.whole_types, columns.whole) as whole (type, name)
              ) as whole,
              array(select custom_real(custom, name) from unnest(columns.real) as name) as "real",
              array(select custom_flag(custom, name) from unnest(columns.flag) as name) as flag,
              array(select custom_text(custom, name) from unnest(columns.text) as name) as text
            from changed
            where app_id = app
            offset 0
          ) as spread
        ), written as (
          insert into device_targets select * from narrow
        )
        select array_agg(attribute), array_agg(attribute) filter (where is_array) into shown, arrays
        from (
          select attribute, bool_or(jsonb_typeof(value) = 'array') as is_array
          from narrow, jsonb_each(rest) as other (attribute, value)
          where attribute <> all (columns.also_in_rest) -- these are known already
          group by attribute
          order by attribute
        ) as others;
      end if;
      exit when shown is null or not exists (
        select from unnest(shown) as attribute
        where attribute <> all (columns.held) and has_free_column(columns, attribute)
          or attribute = any (arrays) and attribute = any (columns.held) and attribute <> all (columns.also_in_rest)
      );
      columns := assign_custom_columns(app, shown, arrays);
      perform delete_device_targets(app, array(select id from changed where app_id = app));
    end loop;
  end loop;
  return null;
end $$;

create function remove_device_targets() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  app uuid;
  ids uuid[];
begin
  for app, ids in select app_id, array_agg(id) from removed group by app_id loop
    perform delete_device_targets(app, ids);
    delete from device_registrations where app_id = (select app) and id = any (ids);
  end loop;
  return null;
end $$;

create trigger device_targets_insert after insert on devices
  referencing new table as changed for each statement execute function write_device_targets();
create trigger device_targets_update after update on devices
  referencing old table as before new table as changed for each statement execute function write_device_targets();
create trigger device_targets_delete after delete on devices
  referencing old table as removed for each statement execute function remove_device_targets();

-- Functions that compiled filters call.

-- A dotted version as an array of numbers without trailing zeros, so that arrays compare like versions: '14.0' → {14};
-- '3.10-beta' → {3,10}; 'unknown' → null. It reads ASCII digits only, and no more than fit in a numeric.
create function version_key(version text) returns numeric[]
  language sql immutable strict parallel safe
  return string_to_array(
    regexp_replace(substring(left(version, 255) from '^[0-9]+(?:\.[0-9]+)*'), '(\.0+)+$', ''), '.')::numeric[];

-- Ranges of versions: `version_key(os_version) <@ '{["{3,1}","{4}")}'::version_multirange`.
create type version_range as range (subtype = numeric[], multirange_type_name = version_multirange);

-- Whether a point lies within a circle: the haversine formula, on a sphere (src/targeting/rows/compile-place.ts).
create function within_circle(
  latitude double precision, longitude double precision,
  center_latitude double precision, center_longitude double precision, haversine double precision
) returns boolean
  language sql immutable strict parallel safe
  return power(sin(radians(latitude - center_latitude) / 2), 2)
    + cos(radians(latitude)) * cos(radians(center_latitude))
    * power(sin(radians(longitude - center_longitude) / 2), 2) <= haversine;

-- Whether a point lies within any of many circles. It is a function, like within_rings, because Postgres does not run
-- correlated subqueries in parallel.
create function within_circles(
  latitude double precision, longitude double precision,
  latitudes double precision[], longitudes double precision[], haversines double precision[]
) returns boolean
  language sql immutable strict parallel safe
  return exists (
    select from unnest(latitudes, longitudes, haversines) as center (center_latitude, center_longitude, haversine)
    where within_circle(latitude, longitude, center_latitude, center_longitude, haversine)
  );

-- Whether the meridian of a point crosses an edge; an edge includes the meridian at its start and not at its end. It
-- compares how many degrees east of the point the two ends are, each in (0, 360]. Two edges that meet in a corner near the
-- meridian compute the same number for that corner, so the meridian crosses exactly one of them. If the point were measured
-- from the start of the edge instead, rounding could count the corner for both edges or for neither.
create function is_crossed(
  longitude double precision, west double precision, east double precision, width double precision
) returns boolean
  language sql immutable parallel safe -- not strict, because Postgres would then call it instead of inlining it
  return width = 360 or (east - longitude) - 360 * (ceil((east - longitude) / 360) - 1)
    < (west - longitude) - 360 * (ceil((west - longitude) / 360) - 1);

-- Whether a point lies within one of the rings. Counts the edges that are crossed on the way from the point along its
-- meridian towards one pole: the point is inside if the number is odd, or if it lies on an edge. `eastward` is how
-- many degrees the point is east of the start of the edge; `side` is positive if the point is north of the edge, and 0 if it
-- is on its line. The meridian can cross only the edges `first` to `last`; `towards` is the pole, as the sign of the edges to
-- count.
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
