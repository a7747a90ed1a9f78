-- Devices without a push token, which the count of an audience tells apart from those that can be reached. How they are
-- counted, and figures: docs/decisions/0016-reachable-devices.md.

create index devices_unreachable on devices (app_id, id) where push_token is null;

-- By the places of the block's ids: its devices without a token, as of when that was sealed. Null in a block that was
-- sealed before there was such a bitmap: it is sealed (devices/seal-store.ts), and until then rows are counted.
alter table device_blocks add unreachable bit varying;
alter table device_blocks alter unreachable set storage external;

-- In an app that is laid out: devices that lost their token (1), got one again or went without one (-1).
create table device_tokens_since (
  app_id uuid not null,
  id uuid not null,
  sign smallint not null
);

create function note_device_token() returns trigger language plpgsql as $$
begin
  if exists (select from device_layouts where app_id = coalesce(new.app_id, old.app_id)) then
    insert into device_tokens_since values (
      coalesce(new.app_id, old.app_id), coalesce(new.id, old.id),
      case when tg_op <> 'DELETE' and new.push_token is null then 1 else -1 end
    );
  end if;
  return null;
end $$;

-- The conditions spare nearly all registrations the call.
create trigger device_tokens_since_insert after insert on devices
  for each row when (new.push_token is null) execute function note_device_token();
create trigger device_tokens_since_update after update on devices
  for each row when ((new.push_token is null) <> (old.push_token is null)) execute function note_device_token();
create trigger device_tokens_since_delete after delete on devices
  for each row when (old.push_token is null) execute function note_device_token();

-- As seal_device_block_registrations, of whether a block's devices have a token.
create function seal_device_block_tokens(the_app uuid, the_number integer, first uuid, next uuid) returns integer
  language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  the_ids uuid[];
begin
  select ids into the_ids from device_blocks where app_id = the_app and number = the_number;
  delete from device_tokens_since where app_id = the_app and id >= first and (next is null or id < next);
  update device_blocks
  set unreachable = coalesce((
    select string_agg(case when d.id is null then '0' else '1' end, '' order by place)
    from unnest(the_ids) with ordinality as held (id, place)
    left join (
      select devices.id from devices
      where app_id = the_app and push_token is null and devices.id >= first and (next is null or devices.id < next)
    ) as d using (id)
  ), '')::bit varying
  where app_id = the_app and number = the_number;
  return cardinality(the_ids);
end $$;

-- As in migration 0009, with the tokens.
create or replace function seal_device_block_apart(the_app uuid, the_number integer, first uuid, next uuid) returns void
  language plpgsql as $$
begin
  update device_blocks set ids = (select coalesce(array_agg(id order by place), '{}') from device_block_rows)
  where app_id = the_app and number = the_number;
  perform seal_device_block_registrations(the_app, the_number, first, next);
  perform seal_device_block_events(the_app, the_number, first, next);
  perform seal_device_block_tokens(the_app, the_number, first, next);
end $$;
