-- What the list of troubles is made from (docs/decisions/0050-one-list-of-troubles.md).

-- A row per thread that sends pushes, which writes it every second. Unlogged, so it costs no write-ahead log: after a crash of
-- Postgres the threads have written it again within a second.
create unlogged table worker_pulses (
  id uuid primary key,
  seen_at timestamptz not null, -- by the clock of the database
  troubles jsonb not null -- what this thread alone knows
) with (fillfactor = 50); -- updated in place

alter table webhooks
  add failing_since timestamptz, -- the first of the attempts that have failed since one was delivered; null: none has
  add last_failure text; -- the status or the error of the last of them
create index webhooks_failing on webhooks (app_id, id) where failing_since is not null;
