-- What is known of a route (Apple's production, its sandbox, Google) with credentials of one version: whether a push was
-- ever accepted with them, and whether sending is paused. Replaced credentials begin anew, with a row of their own.
create table route_states (
  app_id uuid not null references apps,
  route text not null check (route in ('apns_production', 'apns_sandbox', 'fcm')),
  version uuid not null,
  proven_at timestamptz, -- when a push was first seen to be accepted
  pause text check (pause in ('credentials', 'tokens')), -- what it is paused for; null: it is not
  pause_reason text,
  paused_at timestamptz,
  probes integer not null default 0, -- pushes that were tried since
  probe_at timestamptz, -- when the next one may be
  unguarded_until timestamptz, -- an operator has said that its dead tokens are dead
  primary key (app_id, route, version)
);
create index route_states_paused on route_states (app_id) where pause is not null;

-- Routes whose end of a pause a slice waits for.
alter table delivery_slices add column waits_for text[];
-- Why some devices of a notification were not sent to, beside the refusals in `refused`.
alter table notifications add column unsent text[] not null default '{}';
