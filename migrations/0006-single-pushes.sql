-- A cheaper form of the same truth for single pushes (docs/decisions/0022-single-pushes.md). Releases before this one run
-- on it unchanged: they find no work in the rows that they do not understand.

-- A notification for few devices is sent as a whole: claimed and finished by updates of its own row. Such a claim is a row in
-- state 'sending' with slices_left = 0. If the push cannot be finished within moments, the claim becomes a row of
-- delivery_slices, and the notification goes on like any other.
alter table notifications
  add outcomes bytea, -- packed as in delivery_slices; null if the notification has slices, or is pruned
  -- The target of a notification to one device or one user without a stored audience, in the form of audiences.filters.
  add filters jsonb,
  alter audience_id drop not null,
  add constraint notifications_has_target check (num_nonnulls(audience_id, filters) = 1) not valid;
