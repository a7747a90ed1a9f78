-- What is on record of a slice under way, in parts: each outcome is written once, and not again with every record of
-- its slice. When an attempt ends, the row of the slice holds all of them, and its parts are gone.
create table delivery_progress (
  app_id uuid not null,
  notification_id uuid not null,
  number integer not null,
  attempt integer not null, -- of the slice, whose worker wrote it
  part integer not null, -- from 0 in each attempt
  outcomes bytea not null, -- packed as in delivery_slices
  primary key (app_id, notification_id, number, attempt, part),
  foreign key (app_id, notification_id, number) references delivery_slices on delete cascade
);
