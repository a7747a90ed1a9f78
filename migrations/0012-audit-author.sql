-- What the server does by itself, such as deleting channels that have ended, is in the audit log as well. Entries that are there
-- fulfil the narrower condition already.
alter table audit_log drop constraint audit_log_by_kind_check;
alter table audit_log add constraint audit_log_by_kind_check
  check (by_kind in ('key', 'user', 'command_line', 'server')) not valid;
