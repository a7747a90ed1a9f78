-- The narrow rows of many devices at once, by a statement that is made for the attributes of their app: 8 µs a device
-- less than the one for few. To plan it takes longer than to write a few rows. Figures: docs/decisions/0004-targeting-storage.md.

-- The text of a statement that writes rows for those devices of `changed` that are of the app $1, and returns, as
-- '<type> <name>', which attributes went to the rest and which of them as an array, but for those of $2.
create function many_targets_statement(target text, columns custom_columns) returns text
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
            select jsonb_object_agg(said ->> 'type' || ' ' || name, said -> 'value')
            from jsonb_each(others) as attribute (name, said)
          ) end%s
        from (
          select *, custom - array[%s]::text[] as others
          from (select *%s from changed where app_id = $1 offset 0) as spread
          offset 0
        ) as told
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
      string_agg(', ' || place, ''),
      string_agg(', ' || place, ''),
      string_agg(format('case when %s is not null then %L end', place, name), ', '),
      string_agg(format(', %s as %s', value, place), '')
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
    ) as held (place, name, value)
  );

-- As in migration 0002, but for what is done with many.
create or replace function keep_device_targets() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  app uuid;
  devices bigint;
  many boolean;
  fresh boolean; -- whether their narrow rows are to wait for their index entries
  columns custom_columns;
  shown text[]; -- '<type> <name>' of the custom attributes that were written to the rest
  arrays text[]; -- those of them that a device has as an array
begin
  if tg_op = 'UPDATE' then
    insert into device_registrations as known select app_id, id, registered_at from changed
    on conflict (app_id, id) do update set registered_at = excluded.registered_at
    where known.registered_at <> excluded.registered_at;
    -- Most often a device says what it said before.
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

  -- In the order of apps, so that two calls that give columns wait in a line and not in a circle.
  for app, devices in select app_id, count(*) from changed group by app_id order by app_id loop
    -- A few are not worth the way. A million devices are 400 MiB, which every count has to scan: no more than that.
    many := tg_table_name = 'devices' and devices >= 200;
    fresh := many and pg_relation_size('device_targets_fresh') < 400 * 1024 * 1024;
    if fresh then
      -- Rows are not moved while others come. Who moves some holds the lock alone, for a tenth of a second, and waits
      -- for nobody. To go on without it would leave nothing that tells him of us.
      perform pg_advisory_xact_lock_shared(hashtextextended('device_targets_fresh', 0));
    end if;
    select * into columns from custom_columns where app_id = app;
    if not found then
      columns := give_custom_columns(app, '{}', '{}');
    end if;
    if tg_op = 'UPDATE' then
      perform forget_device_targets(app, array(select id from changed where app_id = app));
    end if;
    -- Once as a rule. What is in the rest tells whether an attribute is to have a column: then it is given, and the
    -- rows are written anew.
    loop
      if many then
        execute many_targets_statement(
          case when fresh then 'device_targets_fresh' else 'device_targets' end, columns)
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
              select jsonb_object_agg(said ->> 'type' || ' ' || name, said -> 'value')
              from jsonb_each(custom) as attribute (name, said)
              where jsonb_typeof(said -> 'value') = 'array' or said ->> 'type' || ' ' || name <> all (columns.held)
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
          where attribute <> all (columns.also_in_rest) -- nothing is left to do for those
          group by attribute
          order by attribute
        ) as others;
      end if;
      exit when shown is null or not exists (
        select from unnest(shown) as attribute
        where attribute <> all (columns.held) and has_free_column(columns, attribute)
          or attribute = any (arrays) and attribute = any (columns.held) and attribute <> all (columns.also_in_rest)
      );
      columns := give_custom_columns(app, shown, arrays);
      perform forget_device_targets(app, array(select id from changed where app_id = app));
    end loop;
  end loop;
  return null;
end $$;
