/**
 * The bitmap of the devices of a block that lie in one of some shapes. They stand in the order of their places (migration
 * 0010), so a square of the globe is a run of bits; those near a rim are judged one by one, as where devices are counted
 * by rows.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { compileCircles, type Position, withoutTiny } from './compile-place.ts';
import { CODES, type Cover, coverOf } from './compile-place-cover.ts';
import { type Edge, INSIDE, OUTSIDE, UNSURE } from './compile-place-grid.ts';
import type { PlaceCriterion } from './filter.ts';
import { type Circle, circleOf, type Ring, ringOf } from './place.ts';

/** @returns a bit string of the block `b`; undefined where the shapes are too many, or have too many corners */
export function placeBitmap(criteria: readonly PlaceCriterion[]): RawBuilder<string> | undefined {
  const circles = criteria.flatMap((criterion) => (criterion.kind === 'circle' ? [circleOf(criterion)] : []));
  const rings = criteria.flatMap((criterion) =>
    criterion.kind === 'polygon' ? [ringOf(criterion.points)] : [],
  );
  const cover = coverOf(circles, rings);
  if (cover === undefined) return undefined;
  const { runs, leaves } = cover;
  // Adding nothing takes the arrays out of the disk's form, once for all look-ups.
  return sql`(
    select (coalesce((
      select string_agg(
        case judged.state
          when ${sql.lit(INSIDE)} then repeat('1', judged.devices)
          when ${sql.lit(OUTSIDE)} then repeat('0', judged.devices)
          else case when ${compileRim(cover, circles, rings)} then '1' else '0' end
        end, '')
      from (
        select case each.state when ${sql.lit(UNSURE)} then get_byte(${statesOf(leaves)}::bytea, each.leaf - 1) else each.state end as state,
          each.devices, each.leaf, p.latitudes[each.place] as latitude, p.longitudes[each.place] as longitude
        from (
          select found.state, found.place, case found.state when ${sql.lit(UNSURE)} then 1 else found.until - found.place + 1 end as devices,
            width_bucket(p.codes[found.place], ${leaves.map(({ code }) => code)}::float8[]) as leaf
          from (
            select run.state, run.until,
              generate_series(run.before + 1, case run.state when ${sql.lit(UNSURE)} then run.until else run.before + 1 end) as place
            from (
              select state, width_bucket(first - 0.5, p.codes) as before, width_bucket(next - 0.5, p.codes) as until
              from unnest(
                ${runs.map(({ state }) => state)}::int[],
                ${runs.map(({ code }) => code)}::float8[],
                ${[...runs.slice(1).map(({ code }) => code), CODES]}::float8[]
              ) as span (state, first, next)
              offset 0
            ) as run
            where run.before < run.until
            offset 0
          ) as found
          offset 0
        ) as each
        offset 0
      ) as judged
    ), '') || repeat('0', b.devices - cardinality(p.codes)))::bit varying
    from (
      select b.codes || '{}' as codes, b.latitudes || '{}' as latitudes, b.longitudes || '{}' as longitudes offset 0
    ) as p
  )`;
}

function statesOf(leaves: Cover['leaves']): Buffer {
  return Buffer.from(leaves.map(({ state }) => state));
}

function compileRim({ leaves }: Cover, circles: readonly Circle[], rings: readonly Ring[]): RawBuilder<SqlBool> {
  const position: Position = { latitude: sql`judged.latitude`, longitude: sql`judged.longitude` };
  const conditions = [
    ...(circles.length > 0 ? [compileCircles(position, circles)] : []),
    ...(rings.length > 0 ? [compileArcs(position, leaves, rings)] : []),
  ];
  return sql<SqlBool>`${sql.join(conditions, sql` or `)}`;
}

function compileArcs(position: Position, leaves: Cover['leaves'], rings: readonly Ring[]): RawBuilder<SqlBool> {
  const arcs = leaves.flatMap((leaf) => leaf.arcs);
  const edges = new Map<string | Edge, Omit<Edge, 'east'>>(
    rings.flatMap((ring) => ring.edges.map((edge) => [edge, edge])),
  );
  for (const { turns, ring } of arcs) for (const west of turns) {
    edges.set(`${ring.side} ${west}`, { west, width: 180, westLatitude: ring.side * -91, eastLatitude: ring.side * -91 });
  }
  const numbers = new Map([...edges.keys()].map((key, index) => [key, index + 1]));
  const all = [...edges.values()];
  const ofLeaves = slicesOf(leaves.map((leaf) => leaf.arcs));
  const lists = arcs.map(({ ring, edges, turns }) => [...edges, ...turns.map((west) => `${ring.side} ${west}`)].map((key) => numbers.get(key) ?? 0));
  const ofArcs = slicesOf(lists);
  const ints = (values: readonly number[]): RawBuilder<number[]> => sql`(${values}::int[])`;
  const floats = (values: readonly number[]): RawBuilder<number[]> => sql`(${values}::float8[])`;
  const latitude = withoutTiny(position.latitude);
  const longitude = withoutTiny(position.longitude);
  return sql<SqlBool>`exists (
    select
    from generate_series(${ints(ofLeaves.firsts)}[judged.leaf], ${ints(ofLeaves.lasts)}[judged.leaf]) as arc
    where (
      select (count(*) filter (where eastward < width and side * ${ints(arcs.map(({ ring }) => ring.side))}[arc] > 0)) % 2 <> ${ints(arcs.map(({ odd }) => Number(odd)))}[arc]
        or coalesce(bool_or(side = 0 and eastward <= width and ${latitude} between least(west_latitude, east_latitude) and greatest(west_latitude, east_latitude)), false)
      from (
        select *, (${latitude} - west_latitude) * width - eastward * (east_latitude - west_latitude) as side
        from (
          select width, west_latitude, east_latitude, east - 360 * floor(east / 360) as eastward
          from (
            select ${longitude} - ${floats(all.map(({ west }) => west))}[edge] as east,
              ${floats(all.map(({ width }) => width))}[edge] as width,
              ${floats(all.map(({ westLatitude }) => westLatitude))}[edge] as west_latitude,
              ${floats(all.map(({ eastLatitude }) => eastLatitude))}[edge] as east_latitude
            from (
              select ${ints(lists.flat())}[number] as edge
              from generate_series(${ints(ofArcs.firsts)}[arc], ${ints(ofArcs.lasts)}[arc]) as number
              offset 0
            ) as numbered
            offset 0
          ) as known
          offset 0
        ) as placed
        offset 0
      ) as sided
    )
  )`;
}

/** Where the parts of each list are when all lists are one; numbers from 1. */
function slicesOf(lists: readonly (readonly unknown[])[]): { firsts: number[]; lasts: number[] } {
  const lasts: number[] = [];
  for (const { length } of lists) lasts.push((lasts.at(-1) ?? 0) + length);
  return { firsts: lists.map(({ length }, index) => (lasts[index] ?? 0) - length + 1), lasts };
}
