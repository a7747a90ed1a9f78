-- Live Activities, widgets and other push types that have push tokens of their own (docs/decisions/0033-live-activities.md).

-- The push tokens of a device apart from the one for alerts (devices.push_token). The app registers them, and a row is deleted
-- when Apple reports its token dead.
create table named_tokens (
  app_id uuid not null,
  type text not null, -- live_activity, live_activity_start, widgets, … (src/gateways/apns/push-types.ts)
  name text not null, -- the app's id of a Live Activity, the attributes type of a push-to-start token, or any other name
  device_id uuid not null,
  push_token text not null,
  registered_at timestamptz not null, -- when the app first sent this token
  presented_at timestamptz not null, -- when it last did, to the hour
  primary key (app_id, type, name, device_id),
  foreign key (app_id, device_id) references devices on delete cascade
);
create index named_tokens_of_device on named_tokens (device_id);
create index named_tokens_push_token on named_tokens (push_token);
create index named_tokens_of_activities on named_tokens (presented_at) where type = 'live_activity';
alter table named_tokens alter app_id set statistics 0;

-- The updates and ends of Live Activities: what is needed to see that a newer one has replaced an update. They are deleted after
-- two days, when the tokens of their activities are gone.
create table activity_pushes (
  app_id uuid not null,
  activity_id text not null,
  event text not null check (event in ('update', 'end')),
  created_at timestamptz not null,
  notification_id uuid not null,
  device_id uuid, -- the only device that it is for; null: every device with the activity
  primary key (app_id, activity_id, event, created_at, notification_id),
  foreign key (app_id, notification_id) references notifications on delete cascade
);
create index activity_pushes_of_notification on activity_pushes (notification_id);
create index activity_pushes_created on activity_pushes (created_at);
alter table activity_pushes alter app_id set statistics 0;
