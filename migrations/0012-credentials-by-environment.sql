-- Since 2025 an Apple key may be good for one environment alone, so an app may have two: a row for each. 'all' is a key
-- that is good for both, and what every other gateway has. The release before knows one row a gateway: it goes on
-- beside this one for as long as an app has no more, and cannot replace credentials meanwhile.
alter table gateway_credentials
  add column environment text not null default 'all' check (environment in ('all', 'production', 'sandbox')),
  add check (environment = 'all' or gateway = 'apns'),
  drop constraint gateway_credentials_pkey,
  add primary key (app_id, gateway, environment);
