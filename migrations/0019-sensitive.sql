-- Notifications whose texts nobody reads again (docs/decisions/0051-sensitive.md).

alter table notifications
  add encrypted_body bytea, -- the `notification` as submitted, encrypted, if `body` hides some of it; null as soon as it has ended
  -- Several statements end a notification: one that would keep the texts fails.
  add constraint notifications_ended_have_no_secret check (encrypted_body is null or ended_at is null) not valid;
