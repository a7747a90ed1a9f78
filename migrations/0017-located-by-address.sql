-- Whether a device's country and location were found by the address of its app's calls, and not told. Those follow the
-- device; what was told stays.
alter table devices
  add column country_from_address boolean not null default false,
  add column location_from_address boolean not null default false;
