-- iPhones that are reached through Firebase (docs/decisions/0056-iphones-through-firebase.md).

-- Without a scan of the rows of before, which would lock the table meanwhile: the new list only adds a value.
alter table devices
  drop constraint devices_push_token_type_check,
  -- 'fcm': a registration token or an installation id of Firebase, on iOS
  add constraint devices_push_token_type_check check (push_token_type in ('token', 'fid', 'fcm', 'subscription')) not valid;
