-- Indexes that are ordered by time, so that the searches of every second can begin where the last one ended
-- (docs/decisions/0059-old-snapshots.md). Their conditions do not name a state, as statements that look up one notification, wave
-- or slice do: else the planner might take these indexes for them, and read them from end to end.
drop index notifications_due;
create index notifications_due on notifications (due_at) where started_at is null and ended_at is null;
drop index notifications_sending;
create index notifications_started on notifications (started_at) where started_at is not null and ended_at is null;
drop index notification_waves_due;
create index notification_waves_due on notification_waves (due_at) where state || '' = 'waiting';
create index notifications_with_waves on notifications (app_id) where state = 'sending' and planned_in is not null;
create index delivery_slices_due on delivery_slices (coalesce(lease_until, not_before)) where finished_at is null;
drop index webhook_deliveries_due;
create index webhook_deliveries_due on webhook_deliveries (app_id, webhook_id, due_at) where ended_at is null;
