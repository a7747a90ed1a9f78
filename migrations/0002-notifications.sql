-- Audiences, notifications, and the work of delivering them.

-- Stored lists of filters. A deleted audience keeps its row, because its notifications refer to it and may still have to
-- select its devices. Its fingerprint is replaced, so that the same filters create a new audience.
create table audiences (
  app_id uuid not null references apps,
  id uuid not null,
  kind text not null check (kind in ('everyone', 'on_the_fly', 'named')),
  name text not null,
  filters jsonb not null, -- the canonical form
  fingerprint bytea not null, -- SHA-256 of the canonical form
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_used_at timestamptz not null default now(), -- when it was last targeted or read, to the day; unused audiences expire
  deleted_at timestamptz,
  primary key (app_id, id)
);
-- The same kind and filters are the same audience; named audiences may have the same filters.
create unique index audiences_specification on audiences (app_id, fingerprint) where kind <> 'named';
create index audiences_last_used on audiences (last_used_at) where kind = 'on_the_fly' and deleted_at is null;
create index audiences_oldest on audiences (app_id, created_at, id) where deleted_at is null;

-- One request to push one payload to one audience: its state and counters.
create table notifications (
  app_id uuid not null references apps,
  id uuid not null,
  audience_id uuid not null,
  body text not null, -- the `notification` as submitted: text, because jsonb would reorder keys
  state text not null check (state in ('scheduled', 'sending', 'sent', 'canceled', 'failed', 'validated')),
  reason text,
  created_at timestamptz not null,
  due_at timestamptz not null, -- deliver_at, or the time of creation
  started_at timestamptz,
  ended_at timestamptz,
  devices bigint not null default 0,
  accepted bigint not null default 0,
  rejected bigint not null default 0,
  unregistered bigint not null default 0,
  no_token bigint not null default 0,
  ambiguous bigint not null default 0,
  slices_left integer not null default 0,
  lane text not null default 'direct' check (lane in ('direct', 'bulk')),
  refused jsonb not null default '{}', -- routes that refused the credentials: {"<route>": "<reason>"}
  unsent text[] not null default '{}', -- other reasons why nothing was sent to some devices
  idempotency_key text,
  body_hash bytea,
  pruned_at timestamptz, -- when its slices and opens were pruned; the row and its counters stay
  opens_pruned bigint not null default 0, -- pruned opens, which still count
  request_id text not null, -- the `x-request-id` of the reply to its creation, for the log
  traceparent text, -- W3C Trace Context of its creation; null if that was not traced
  primary key (app_id, id),
  foreign key (app_id, audience_id) references audiences
);
create index notifications_newest on notifications (app_id, created_at desc, id desc);
create unique index notifications_idempotency on notifications (app_id, idempotency_key)
  where idempotency_key is not null;
create index notifications_due on notifications (due_at) where state = 'scheduled';
create index notifications_sending on notifications (app_id, id) where state = 'sending';
create index notifications_unpruned on notifications (ended_at) where pruned_at is null and ended_at is not null;

-- The units of work of a notification: ranges of device ids, each leased to one worker at a time.
create table delivery_slices (
  app_id uuid not null,
  notification_id uuid not null,
  number integer not null,
  first_id uuid not null, -- both ends of the range belong to the slice
  last_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'leased', 'done')),
  not_before timestamptz not null,
  attempt integer not null default 0, -- rises with every lease: a worker records only while it holds this attempt
  lease_until timestamptz,
  outcomes bytea, -- packed: device ids, outcomes, reasons, times (src/delivery/outcomes/packed.ts)
  finished_at timestamptz,
  waits_for text[], -- paused routes that the slice waits for
  primary key (app_id, notification_id, number),
  foreign key (app_id, notification_id) references notifications on delete cascade
);
create index delivery_slices_unfinished on delivery_slices (app_id, notification_id, number)
  where state <> 'done';

-- Outcomes of slices in progress, in parts: each outcome is written once, not again with every save of its slice. At the
-- end of an attempt, all outcomes are stored in the row of the slice, and the parts are deleted.
create table delivery_progress (
  app_id uuid not null,
  notification_id uuid not null,
  number integer not null,
  attempt integer not null, -- of the slice, when the part was written
  part integer not null, -- from 0 in each attempt
  outcomes bytea not null, -- packed as in delivery_slices
  primary key (app_id, notification_id, number, attempt, part),
  foreign key (app_id, notification_id, number) references delivery_slices on delete cascade
);

-- The sending rate that Google allows a project. Rows are per project, because apps that share a project share its quota.
create table gateway_paces (
  project text primary key,
  allowance double precision not null, -- pushes allowed at refilled_at; a negative value is a debt
  refilled_at timestamptz not null,
  paused_until timestamptz
);

-- Devices that opened a notification.
create table opens (
  app_id uuid not null,
  notification_id uuid not null,
  device_id uuid not null,
  opened_at timestamptz not null,
  primary key (app_id, notification_id, device_id),
  foreign key (app_id, notification_id) references notifications on delete cascade
);

alter table audiences alter app_id set statistics 0;
alter table notifications alter app_id set statistics 0;
alter table delivery_slices alter app_id set statistics 0;
alter table delivery_progress alter app_id set statistics 0;
alter table opens alter app_id set statistics 0;
