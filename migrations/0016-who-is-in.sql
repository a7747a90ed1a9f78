-- Which devices a notification goes to (docs/api.md, "Who is in").
alter table notifications
  -- When the newest device of the app was registered, as planning saw it: later ones are not in it. Null: nobody is left out.
  add newest_device timestamptz,
  -- Devices that slices may send to, of at most max_recipients; counted only where there is such a limit.
  add allotted bigint not null default 0;

alter table delivery_slices
  add allotted integer not null default 0; -- of those of the notification

-- Devices that no longer were in the audience when their turn came are counted at the end.
create or replace function notification_end_data(n notifications) returns jsonb
  language sql stable parallel safe
  return jsonb_build_object(
    'id', (n).id, 'state', (n).state, 'reason', (n).reason, 'created_at', instant_text((n).created_at),
    'ended_at', instant_text((n).ended_at), 'devices', (n).devices, 'accepted', (n).accepted,
    'rejected', (n).rejected, 'unregistered', (n).unregistered, 'no_token', (n).no_token,
    'ambiguous', (n).ambiguous, 'dropped', (n).dropped, 'expired', (n).expired, 'capped', (n).capped,
    'left_out', case when (n).state in ('sent', 'failed') then greatest(0, (n).devices - (n).accepted - (n).rejected
      - (n).unregistered - (n).no_token - (n).ambiguous - (n).dropped - (n).expired - (n).capped) else 0 end
  );
