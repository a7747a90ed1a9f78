-- The badge that pushes have given a device since its app registered one (docs/decisions/0041); null: none has. It is not in
-- targeting rows: a broadcast would write some twenty index entries per device.
alter table devices add kept_badge integer;
