-- Webhooks: addresses of an app to which events are sent, and the outbox of these events (src/webhooks).

create table webhooks (
  app_id uuid not null references apps,
  id uuid not null,
  url text not null,
  events text[] not null,
  sealed_secret bytea not null,
  created_at timestamptz not null,
  primary key (app_id, id)
);

-- The outbox: one row per event and webhook, written by the statement that causes the event. The writer locks the webhook
-- `for key share`, so that webhooks that are being deleted get no row.
create table webhook_deliveries (
  app_id uuid not null,
  webhook_id uuid not null,
  id uuid not null, -- the same in every attempt, so that a receiver can drop repeats
  type text not null,
  data jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  created_at timestamptz not null,
  due_at timestamptz not null, -- time of the next attempt; during an attempt, the time after which that attempt counts as lost
  attempt integer not null default 0, -- rises with every attempt: a worker records only while it holds this attempt
  last_status integer,
  last_error text,
  ended_at timestamptz,
  primary key (app_id, webhook_id, id),
  foreign key (app_id, webhook_id) references webhooks on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (app_id, webhook_id, due_at) where state = 'waiting';
-- Events that are still being gathered into larger ones (src/webhooks/gather.ts).
create index webhook_deliveries_gathered on webhook_deliveries (app_id, webhook_id, due_at)
  where state = 'waiting' and type = 'device.unregistered' and attempt = 0;
create index webhook_deliveries_newest on webhook_deliveries (app_id, webhook_id, created_at desc, id desc);
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;

alter table webhooks alter app_id set statistics 0;
alter table webhook_deliveries alter app_id set statistics 0;

-- Formats a time as the API does.
create function instant_text(moment timestamptz) returns text
  language sql stable strict parallel safe
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Called by a trigger, because several statements can end a notification.
create function announce_notification_end() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (app_id, webhook_id, id, type, data, created_at, due_at)
  select
    app_id, id, gen_random_uuid(), 'notification.' || new.state,
    jsonb_build_object(
      'id', new.id, 'state', new.state, 'reason', new.reason, 'created_at', instant_text(new.created_at),
      'ended_at', instant_text(new.ended_at), 'devices', new.devices, 'accepted', new.accepted,
      'rejected', new.rejected, 'unregistered', new.unregistered, 'no_token', new.no_token,
      'ambiguous', new.ambiguous
    ),
    new.ended_at, new.ended_at
  from webhooks
  where app_id = new.app_id and 'notification.' || new.state = any (events)
  for key share;
  return null;
end $$;

-- The condition is checked without calling the function, so an update of the counters hardly costs anything.
create trigger notifications_announce_end after update on notifications for each row
  when (old.state <> new.state and new.state in ('sent', 'failed'))
  execute function announce_notification_end();
