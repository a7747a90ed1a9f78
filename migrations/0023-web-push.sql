-- Browsers: the platform Web, and devices that are reached by Web Push (docs/decisions/0054-web-push.md).

alter table gateway_credentials
  drop constraint gateway_credentials_gateway_check,
  add constraint gateway_credentials_gateway_check check (gateway in ('apns', 'fcm', 'web_push'));
alter table route_states
  drop constraint route_states_route_check,
  add constraint route_states_route_check check (route in ('apns_production', 'apns_sandbox', 'fcm', 'web_push'));
-- Without a scan of the rows of before, which would lock the table meanwhile.
alter table devices
  drop constraint devices_platform_check,
  add constraint devices_platform_check check (platform in ('iOS', 'Android', 'Web')) not valid,
  drop constraint devices_push_token_type_check,
  -- 'subscription': the token is the endpoint of a subscription of Web Push
  add constraint devices_push_token_type_check check (push_token_type in ('token', 'fid', 'subscription')) not valid,
  add subscription_keys text; -- of a subscription: '<p256dh>.<auth>', each in base64url

-- `on_ios` is null for browsers.
alter table device_targets alter on_ios drop not null;
alter table device_targets_delta alter on_ios drop not null;
do $$
declare
  written text;
  changed text;
begin
  foreach written in array array['write_device_targets()', 'bulk_targets_statement(text, custom_columns)'] loop
    changed := pg_get_functiondef(written::regprocedure);
    -- The text of a statement within a function has its quotation marks twice.
    changed := replace(changed, $code$platform = 'iOS'$code$, $code$case platform when 'Web' then null else platform = 'iOS' end$code$);
    changed := replace(changed, $code$platform = ''iOS''$code$, $code$case platform when ''Web'' then null else platform = ''iOS'' end$code$);
    if changed = pg_get_functiondef(written::regprocedure) then
      raise exception '% does not read the platform', written;
    end if;
    execute changed;
  end loop;
end $$;
