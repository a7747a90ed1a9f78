/**
 * Generates millions of devices inside Postgres, the same for the same seed. Values are distributed as in real apps: a
 * few common ones and a long tail, newer devices more active, attributes missing.
 */
import type { Client } from 'pg';

/** The current time for math-dates: shortly after the newest devices were registered. */
export const NOW = new Date('2026-11-21T10:00:00Z');

/** Shares of the values are in `bench_pick`: a skew of 1 is even, 4 gives the first of 50 a share of 38 %. */
const functions = (seed: number): string => `
create or replace function bench_u(device bigint, part int) returns double precision
  language sql immutable parallel safe
  return (hashint8extended(device, ${seed * 1000} + part) & 9007199254740991)::double precision
    / 9007199254740992;
create or replace function bench_pick(size int, skew double precision, device bigint, part int) returns int
  language sql immutable parallel safe
  return floor(size * power(bench_u(device, part), skew))::int;
create or replace function bench_iso(moment timestamptz) returns text
  language sql immutable parallel safe
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
create or replace function bench_before(days double precision) returns timestamptz
  language sql immutable parallel safe
  return to_timestamp(floor(${NOW.getTime()} - days * 86400000) / 1000);
create or replace function bench_id(device bigint) returns uuid
  language sql immutable parallel safe
  return md5('${seed} ' || device)::uuid;
create or replace function bench_custom(i bigint) returns jsonb language sql immutable parallel safe return (
  select coalesce(jsonb_object_agg(name, jsonb_build_object('type', type, 'value', value)), '{}')
  from (values
    ('plan', 'string', to_jsonb((array['free', 'basic', 'pro', 'team'])[1 + bench_pick(4, 2, i, 40)])),
    ('city', 'string', to_jsonb('City ' || bench_pick(2000, 3, i, 41))),
    ('team', 'string', to_jsonb('team-' || bench_pick(60, 2, i, 42))),
    ('interests', 'string', to_jsonb(array[
      'interest ' || bench_pick(40, 2, i, 43), 'interest ' || bench_pick(40, 2, i, 44)])),
    ('age', 'integer', to_jsonb(14 + bench_pick(70, 1.5, i, 45))),
    ('orders', 'integer', to_jsonb(bench_pick(400, 5, i, 46))),
    ('points', 'integer', to_jsonb(bench_pick(1000000, 2, i, 47))),
    ('revenue', 'float', to_jsonb(round((5000 * power(bench_u(i, 48), 4))::numeric, 2))),
    ('rating', 'float', to_jsonb(round((5 * bench_u(i, 49))::numeric, 1))),
    ('last_purchase', 'date', to_jsonb(bench_iso(bench_before(700 * power(bench_u(i, 50), 2))))),
    ('premium', 'boolean', to_jsonb(bench_u(i, 51) < 0.08)),
    ('newsletter', 'boolean', to_jsonb(bench_u(i, 52) < 0.55))
  ) as attribute (name, type, value)
  where bench_u(i, 60 + ascii(name) + length(name)) < 10.0 / 12
);`;

/** Device `i` of the app; $1 is the app, $2 and $3 are the first and the last `i`. */
const DEVICES = `
insert into devices (
  app_id, id, platform, push_token, token_registered_at, created_at, registered_at, locale, time_zone, badge,
  os_name, os_version, app_version, sdk_version, country, marketing_name, user_id, user_email, development,
  notifications_allowed, tags, latitude, longitude, sdk_latitude, sdk_longitude, custom
)
select $1::uuid, bench_id(i), platform,
  case when platform = 'iOS' then md5('a' || i) || md5('b' || i)
    else md5('c' || i) || ':APA91b' || md5('d' || i) || md5('e' || i) || md5('f' || i) end,
  registered_at, created_at, registered_at,
  (array['en', 'de', 'fr', 'es', 'pt', 'it', 'ja', 'nl', 'pl', 'tr'])[1 + bench_pick(10, 2, i, 4)]
    || '_' || country, 'Zone/City_' || bench_pick(80, 3, i, 5),
  case when bench_u(i, 6) < 0.8 then bench_pick(60, 8, i, 7) end,
  platform,
  case when platform = 'iOS' then (18 - bench_pick(7, 3, i, 8)) || '.' || bench_pick(7, 1, i, 9)
    else (16 - bench_pick(10, 2, i, 8))::text end,
  (9 - bench_pick(5, 3, i, 10)) || '.' || bench_pick(30, 1, i, 11) || '.' || bench_pick(4, 3, i, 12),
  '6.' || (24 - bench_pick(25, 3, i, 13)) || '.0',
  country,
  case when platform = 'iOS' then 'iPhone ' else 'Galaxy ' end || bench_pick(300, 3, i, 14),
  case when bench_u(i, 15) < 0.6 then 'user-' || bench_pick(3000000, 1, i, 16) end,
  case when bench_u(i, 17) < 0.3 then 'person.' || i || '@example.com' end,
  bench_u(i, 18) < 0.003,
  (array['Enabled', 'Disabled', 'Unknown'])[1 + bench_pick(3, 2.5, i, 19)],
  (select array_agg(distinct 'tag ' || bench_pick(5000, 5, i, part)) from generate_series(20, 25) as part),
  case when bench_u(i, 26) < 0.9 then greatest(least(city.latitude + (bench_u(i, 27) - 0.5) * 2, 90), -90) end,
  case when bench_u(i, 26) < 0.9 then city.longitude + (bench_u(i, 28) - 0.5) * 2 end,
  case when bench_u(i, 29) < 0.35 then city.latitude + (bench_u(i, 30) - 0.5) end,
  case when bench_u(i, 29) < 0.35 then city.longitude + (bench_u(i, 31) - 0.5) end,
  bench_custom(i)
from generate_series($2::bigint, $3::bigint) as i,
  lateral (select case when bench_u(i, 1) < 0.45 then 'iOS' else 'Android' end as platform,
    (array['US', 'DE', 'FR', 'GB', 'BR', 'ES', 'IT', 'JP', 'NL', 'PL', 'TR', 'MX', 'CA', 'AU', 'SE', 'CH', 'AT',
      'PT', 'GR', 'NO', 'DK', 'FI', 'IE', 'CZ', 'HU', 'RO', 'IS', 'LU', 'MT', 'LI'])[1 + bench_pick(30, 3, i, 2)]
      as country,
    1000 * power(bench_u(i, 3), 1.5) as age_days, bench_pick(400, 3, i, 32)::bigint as city_number) as drawn,
  -- Cities all over the inhabited latitudes, their places drawn like everything else.
  lateral (select -45 + 105 * bench_u(-1 - city_number, 33) as latitude,
    -175 + 350 * bench_u(-1 - city_number, 34) as longitude) as city,
  lateral (select bench_before(age_days) as created_at,
    bench_before(least(age_days, 400 * power(bench_u(i, 35), 3))) as registered_at) as moments`;

const EVENTS = `
insert into device_events (app_id, device_id, name, count, first_happened_at, last_happened_at)
select distinct on (i, number) $1::uuid, bench_id(i),
  case when number % 3 = 0 then 'Public Api.' else '' end || 'event ' || number, 1 + bench_pick(200, 5, i, 200 + draw),
  bench_before(400 + draw), bench_before(400 * power(bench_u(i, 300 + draw), 3))
from generate_series($2::bigint, $3::bigint) as i, generate_series(1, 8) as draw,
  lateral (select bench_pick(60, 2.5, i, 100 + draw) as number) as drawn
order by i, number, draw`;

/** In steps, to keep statements short. */
const STEP = 10_000;

/** Adds devices `first` to `last` (both included) to the app, or their events. */
export async function generate(
  client: Client,
  what: 'devices' | 'events',
  { appId, first, last }: { appId: string; first: number; last: number },
): Promise<void> {
  for (let from = first; from <= last; from += STEP) {
    const values = [appId, from, Math.min(from + STEP - 1, last)];
    await client.query(what === 'devices' ? DEVICES : EVENTS, values);
  }
}

/** Creates the SQL functions of the generator. */
export async function prepareGenerator(client: Client, seed: number): Promise<void> {
  await client.query(functions(seed));
}
