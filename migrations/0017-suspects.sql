-- What a process that died had in progress.

alter table delivery_slices
  add in_flight uuid[] not null default '{}'; -- after a death: devices whose pushes were begun last and may be unanswered
