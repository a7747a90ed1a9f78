-- How Android shows the pushes of an app: 'data' leaves it to the app, 'system' has Android draw them by itself, with
-- this small icon (a drawable of the app) and this color (#rrggbb), where they are set. The release before sends data.
alter table apps
  add column android_presentation text not null default 'data' check (android_presentation in ('data', 'system')),
  add column android_icon text,
  add column android_color text;
