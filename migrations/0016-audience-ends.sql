-- Audiences may be deleted, and those that were made on the fly expire (src/audiences/delete.ts, expire.ts).

-- A deleted audience stays as a row: its notifications refer to it, and some of them still ask which devices it selects.
-- Its fingerprint is no longer that of its filters, so the same specification makes a new audience, with the release
-- before too.
alter table audiences add deleted_at timestamptz;

-- When it was last targeted or read, to the day (src/audiences/last-used.ts). Of the audiences there are it is not
-- known, so they count as used now.
alter table audiences add last_used_at timestamptz not null default now();

create index audiences_last_used on audiences (last_used_at) where kind = 'on_the_fly' and deleted_at is null;
create index audiences_oldest on audiences (app_id, created_at, id) where deleted_at is null;
