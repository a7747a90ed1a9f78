-- Apple's broadcast channels, each with the broadcast that waits to be sent (docs/decisions/0034-apns-channels.md).

create table channels (
  app_id uuid not null references apps,
  id uuid not null,
  environment text not null check (environment in ('production', 'sandbox')),
  key text not null, -- the caller's own; creating it again finds the channel
  storage text not null check (storage in ('none', 'latest')), -- what Apple keeps for devices that are offline
  state text not null check (state in ('open', 'ended', 'deleting')),
  apns_channel_id text not null, -- Apple's own
  created_at timestamptz not null,
  used_at timestamptz not null, -- created again or broadcast to
  ended_at timestamptz, -- when the caller ended it
  last_timestamp bigint not null default 0, -- of the newest broadcast that was sent or has a timestamp of its own, in Unix seconds
  last_sent_at timestamptz, -- when the newest broadcast was handed to Apple
  primary key (app_id, id),
  unique (app_id, environment, key)
);
create index channels_newest on channels (app_id, created_at desc, id desc);
create index channels_used on channels (used_at);
create unique index channels_at_apple on channels (app_id, environment, apns_channel_id);

-- A request to create a channel that Apple has not answered yet. It is written before the request and deleted with the answer,
-- so one that is left over shows that there may be a channel at Apple whose id nobody knows.
create table channel_attempts (
  app_id uuid not null references apps,
  id uuid not null, -- its apns-request-id
  environment text not null,
  begun_at timestamptz not null,
  primary key (app_id, id)
);

-- When Apple's list of channels was last compared with ours.
create table channel_looks (
  app_id uuid not null references apps,
  environment text not null,
  looked_at timestamptz not null,
  others_since timestamptz, -- when channels of other programs were first found; null: never. Then nothing unknown is ever deleted
  primary key (app_id, environment)
);

-- Broadcasts to channels. Of each channel, at most one waits and one is being sent.
create table channel_broadcasts (
  app_id uuid not null,
  channel_id uuid not null,
  id uuid not null, -- also its apns-request-id
  event text not null check (event in ('update', 'end')),
  aps jsonb not null, -- content of the payload, without event and timestamp
  priority integer not null,
  timestamp bigint, -- in Unix seconds; the caller's, else set when it is first sent
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'sent', 'replaced', 'rejected', 'expired')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  due_at timestamptz not null, -- time of the next attempt; while sending, the time after which the attempt counts as lost
  attempt integer not null default 0, -- rises with every attempt: a worker records only while it holds this attempt
  reason text, -- of the last attempt, if Apple did not accept it
  ended_at timestamptz,
  primary key (app_id, channel_id, id),
  foreign key (app_id, channel_id) references channels on delete cascade
);
create unique index channel_broadcasts_waiting on channel_broadcasts (app_id, channel_id) where state = 'waiting';
create unique index channel_broadcasts_sending on channel_broadcasts (app_id, channel_id) where state = 'sending';
create index channel_broadcasts_due on channel_broadcasts (due_at) where state in ('waiting', 'sending');
create index channel_broadcasts_newest on channel_broadcasts (app_id, channel_id, created_at desc, id desc);
create index channel_broadcasts_ended on channel_broadcasts (ended_at) where ended_at is not null;

alter table channels alter app_id set statistics 0;
alter table channel_attempts alter app_id set statistics 0;
alter table channel_looks alter app_id set statistics 0;
alter table channel_broadcasts alter app_id set statistics 0;
