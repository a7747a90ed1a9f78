/**
 * Filters on places: circles by the haversine formula on a sphere, polygons by the even-odd rule on the
 * plane of longitude and latitude. What counts as inside, and why: docs/decisions/0002-places.md.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PlaceCriterion } from './filter.ts';
import { type Box, type Circle, circleOf, type Ring, ringOf, ZERO_DEGREES } from './place.ts';

/** @param gpsOnly `sdk_location`; else `location`, the GPS place or, where there is none, the other one */
export function compilePlace(criteria: readonly PlaceCriterion[], gpsOnly: boolean): RawBuilder<SqlBool> {
  const circles = criteria.flatMap((criterion) => (criterion.kind === 'circle' ? [circleOf(criterion)] : []));
  const rings = criteria.flatMap((criterion) =>
    criterion.kind === 'polygon' ? [ringOf(criterion.points)] : [],
  );
  const place = compilePosition(gpsOnly);
  const parts = [
    ...(circles.length > 0 ? [compileCircles(place, circles)] : []),
    ...(rings.length > 0 ? [compileRings(place, rings)] : []),
  ];
  return sql<SqlBool>`(${sql.join(parts, sql` or `)})`;
}

/** One row with the device's latitude and longitude, both null where it has no place. */
function compilePosition(gpsOnly: boolean): RawBuilder<unknown> {
  if (gpsOnly) {
    return sql`(select ${withoutTiny('d.sdk_latitude')} as latitude, ${withoutTiny('d.sdk_longitude')} as longitude) as place`;
  }
  return sql`(
    select
      case when d.sdk_latitude is null then ${withoutTiny('d.latitude')} else ${withoutTiny('d.sdk_latitude')} end as latitude,
      case when d.sdk_latitude is null then ${withoutTiny('d.longitude')} else ${withoutTiny('d.sdk_longitude')} end as longitude
  ) as place`;
}

function withoutTiny(column: string): RawBuilder<number> {
  return sql<number>`case when abs(${sql.ref(column)}) < ${sql.lit(ZERO_DEGREES)} then 0 else ${sql.ref(column)} end`;
}

function compileCircles(place: RawBuilder<unknown>, circles: readonly Circle[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from ${place}, unnest(
      ${circles.map((circle) => circle.center.latitude)}::float8[],
      ${circles.map((circle) => circle.center.longitude)}::float8[],
      ${circles.map((circle) => circle.haversine)}::float8[],
      ${boxColumns(circles)}
    ) as circle (latitude, longitude, haversine, south, north, west, width)
    where ${compileBox('circle')}
      and power(sin(radians(place.latitude - circle.latitude) / 2), 2)
        + cos(radians(place.latitude)) * cos(radians(circle.latitude))
        * power(sin(radians(place.longitude - circle.longitude) / 2), 2) <= circle.haversine
  )`;
}

/**
 * Goes from the place along its meridian towards one pole and counts the edges it crosses: inside where they
 * are odd in number, or where the place lies on an edge. `eastward` is how far the place lies east of where
 * the edge begins; `side` is positive where it lies north of the edge, 0 where it lies on its line.
 */
function compileRings(place: RawBuilder<unknown>, rings: readonly Ring[]): RawBuilder<SqlBool> {
  const edges = rings.flatMap((ring, index) => ring.edges.map((edge) => ({ ...edge, ring: index })));
  return sql<SqlBool>`exists (
    select from ${place}, unnest(
      ${rings.map((_ring, index) => index)}::int[],
      ${rings.map((ring) => ring.side)}::int[],
      ${boxColumns(rings)}
    ) as ring (number, side, south, north, west, width)
    where ${compileBox('ring')} and (
      select count(*) filter (where eastward < width and side * ring.side > 0) % 2 = 1
        or coalesce(bool_or(side = 0 and eastward <= width and place.latitude
          between least(west_latitude, east_latitude) and greatest(west_latitude, east_latitude)), false)
      from (
        select west_latitude, east_latitude, width, eastward,
          (place.latitude - west_latitude) * width - eastward * (east_latitude - west_latitude) as side
        from (
          select edge.*, ${compileEastward(sql.ref('edge.west'))} as eastward
          from unnest(
            ${edges.map((edge) => edge.ring)}::int[],
            ${edges.map((edge) => edge.west)}::float8[],
            ${edges.map((edge) => edge.width)}::float8[],
            ${edges.map((edge) => edge.westLatitude)}::float8[],
            ${edges.map((edge) => edge.eastLatitude)}::float8[]
          ) as edge (ring, west, width, west_latitude, east_latitude)
          where edge.ring = ring.number
        ) as measured
      ) as judged
    )
  )`;
}

function boxColumns(boxes: readonly Box[]): RawBuilder<unknown> {
  return sql`
      ${boxes.map((box) => box.south)}::float8[],
      ${boxes.map((box) => box.north)}::float8[],
      ${boxes.map((box) => box.west)}::float8[],
      ${boxes.map((box) => box.width)}::float8[]`;
}

/** The cheap test that spares most devices the exact one. */
function compileBox(alias: 'circle' | 'ring'): RawBuilder<SqlBool> {
  return sql<SqlBool>`place.latitude between ${sql.ref(`${alias}.south`)} and ${sql.ref(`${alias}.north`)}
      and ${compileEastward(sql.ref(`${alias}.west`))} <= ${sql.ref(`${alias}.width`)}`;
}

/** How far east of a meridian the place lies, going round: 0 up to 360 degrees. */
function compileEastward(west: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(place.longitude - ${west}) - 360 * floor((place.longitude - ${west}) / 360)`;
}
