/**
 * Compiles a filter on places into the bitmap of the devices that are inside its shapes. The devices of a block are sorted by
 * place code, so a square of the globe is a run of bits. Devices near an edge are tested one by one, as rows are.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../db/tables.ts';
import { compileCircles, isIndexed, listed, type Position, withoutTiny } from '../../rows/compile-place.ts';
import { type Arc, CODES, type Cover, coverOf } from './cover.ts';
import { boxAround, type Edge, INSIDE, OUTSIDE, UNSURE } from '../../rows/place-grid.ts';
import type { Filter } from '../../../filters/filter.ts';
import { type Circle, circleOf, type Ring, ringOf } from '../../../filters/place.ts';

const outside = sql.lit(OUTSIDE);
const unsure = sql.lit(UNSURE);
const inside = sql.lit(INSIDE);

/** If the shapes are small and select a smaller share of the devices than this, an index on rows is faster. */
const FEW_SHARE_MAX = 0.005;
/** Enough to detect a share below a hundredth. */
const SAMPLE_SIZE = 1_000;

/** @returns place codes of some devices of one block: ids are random, so these are a fair sample of the app */
export async function readPlaceSample(
  db: Kysely<Database>,
  appId: string,
  filters: readonly Filter[],
): Promise<number[]> {
  if (!filters.some(({ kind }) => kind === 'place')) return [];
  const { rows } = await sql<{ codes: string }>`
    select array_to_string(array(
      select codes[1 + number * cardinality(codes) / wanted]
      from least(${SAMPLE_SIZE}::integer, cardinality(codes)) as wanted, generate_series(0, wanted - 1) as number
    ), ' ') as codes
    from (
      select place_codes || '{}' as codes from count_bitmap_blocks where app_id = ${appId} and number = 1 offset 0
    ) as block
    where cardinality(codes) > 0`.execute(db);
  return rows.flatMap(({ codes }) => codes.split(' ').map(Number));
}

/**
 * @param sample place codes of some devices, which show whether the shapes select few devices
 * @returns a bit string of the block `b`; undefined if rows are faster, because the shapes select few devices or are too
 *   complex
 */
export function placeBitmap(
  { criteria, not }: Extract<Filter, { kind: 'place' }>,
  sample: readonly number[],
): RawBuilder<string> | undefined {
  const circles = criteria.flatMap((criterion) => (criterion.kind === 'circle' ? [circleOf(criterion)] : []));
  const rings = criteria.flatMap((criterion) =>
    criterion.kind === 'polygon' ? [ringOf(criterion.points)] : [],
  );
  const cover = coverOf(circles, rings);
  if (cover === undefined) return undefined;
  if (!not && isIndexed(boxAround([...circles, ...rings])) && areFew(sample, cover)) return undefined;
  // `offset 0` makes Postgres evaluate a step only once. Appending an empty array makes it fetch a stored array only once.
  return sql`(
    select (coalesce((
      select string_agg(case state
        when ${inside} then repeat('1', devices)
        when ${outside} then repeat('0', devices)
        else case when ${compileEdgeTest(cover, circles, rings)} then '1' else '0' end
      end, '')
      from (${compileStretches(cover)}) as stretch
    ), '') || repeat('0', b.devices - cardinality(held.codes)))::bit varying
    from (
      select b.place_codes || '{}' as codes, b.latitudes || '{}' as latitudes, b.longitudes || '{}' as longitudes offset 0
    ) as held
  )`;
}

/** Whether the shapes select few devices of the sample; false if the sample is empty. */
function areFew(sample: readonly number[], { runs }: Cover): boolean {
  const within = sample.filter((code) => runs.findLast((run) => run.code <= code)?.state !== OUTSIDE);
  return within.length < sample.length * FEW_SHARE_MAX;
}

/** @returns runs of devices with one state, and between them single devices that must be tested, sorted by position */
function compileStretches({ runs, leaves }: Cover): RawBuilder<unknown> {
  const begins = runs.map(({ code }) => code);
  const states = Buffer.from(leaves.map(({ state }) => state));
  return sql`
    select case state when ${unsure} then get_byte(${states}::bytea, leaf - 1) else state end as state,
      devices, leaf,
      ${withoutTiny(sql`held.latitudes[position]`)} as latitude, ${withoutTiny(sql`held.longitudes[position]`)} as longitude
    from (
      select state, position, case state when ${unsure} then 1 else until - before end as devices,
        width_bucket(held.codes[position], ${listed(leaves.map(({ code }) => code))}::float8[]) as leaf
      from (
        select state, before, until,
          generate_series(before + 1, case state when ${unsure} then until else before + 1 end) as position
        from (
          select state, width_bucket(begins - 0.5, held.codes) as before, width_bucket(ends - 0.5, held.codes) as until
          from unnest(
            ${listed(runs.map(({ state }) => state))}::int[],
            ${listed(begins)}::float8[], ${listed([...begins.slice(1), CODES])}::float8[]
          ) as run (state, begins, ends)
          offset 0
        ) as found
        where before < until
      ) as positioned
      offset 0
    ) as looked_up
    offset 0`;
}

function compileEdgeTest(
  { leaves }: Cover,
  circles: readonly Circle[],
  rings: readonly Ring[],
): RawBuilder<SqlBool> {
  const position: Position = { latitude: sql`stretch.latitude`, longitude: sql`stretch.longitude` };
  const conditions = [
    ...(circles.length > 0 ? [compileCircles(position, circles)] : []),
    ...(rings.length > 0 ? [compileArcs(position, leaves, rings)] : []),
  ];
  return sql<SqlBool>`${sql.join(conditions, sql` or `)}`;
}

/** The same as `within_rings`, for the few edges that must still be tested in the leaf. */
function compileArcs(
  { latitude, longitude }: Position,
  leaves: Cover['leaves'],
  rings: readonly Ring[],
): RawBuilder<SqlBool> {
  const arcs = leaves.flatMap((leaf) => leaf.arcs);
  const ofLeaves = slicesOf(leaves.map((leaf) => leaf.arcs));
  const { edges, lists } = numberEdges(arcs, rings);
  const ofArcs = slicesOf(lists);
  const ofEdge = (name: keyof Edge): RawBuilder<number> =>
    sql`(${listed(edges.map((edge) => edge[name]))}::float8[])[edge] as ${sql.ref(name)}`;
  const names = ['west', 'east', 'width', 'westLatitude', 'eastLatitude'] as const;
  return sql<SqlBool>`exists (
    select
    from generate_series(${ints(ofLeaves.firsts)}[stretch.leaf], ${ints(ofLeaves.lasts)}[stretch.leaf]) as arc
    where (
      select count(*) filter (where side * ${ints(arcs.map(({ ring }) => ring.side))}[arc] > 0
          and is_crossed(${longitude}, west, east, width)) % 2 <> ${ints(arcs.map(({ odd }) => Number(odd)))}[arc]
        or coalesce(bool_or(side = 0 and eastward <= width and ${latitude}
          between least("westLatitude", "eastLatitude") and greatest("westLatitude", "eastLatitude")), false)
      from (
        select *, (${latitude} - "westLatitude") * width - eastward * ("eastLatitude" - "westLatitude") as side
        from (
          select *, (${longitude} - west) - 360 * floor((${longitude} - west) / 360) as eastward
          from (
            select ${sql.join(names.map(ofEdge))}
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

/**
 * @returns each edge once, and for each arc the numbers (from 1) of the edges to test. A turn becomes an edge beyond the
 *   pole: it begins at the turn, and every meridian further east crosses it.
 */
function numberEdges(arcs: readonly Arc[], rings: readonly Ring[]): { edges: Edge[]; lists: number[][] } {
  const edges = rings.flatMap((ring) => ring.edges);
  const numbers = new Map<Edge | string, number>(edges.map((edge, index) => [edge, index + 1]));
  const numberOfTurn = (side: number, west: number): number => {
    const known = numbers.get(`${side} ${west}`);
    if (known !== undefined) return known;
    const beyond = side * -(90 + 1);
    edges.push({ west, east: west + 180, width: 180, westLatitude: beyond, eastLatitude: beyond });
    numbers.set(`${side} ${west}`, edges.length);
    return edges.length;
  };
  const lists = arcs.map(({ ring, edges: touching, turns }) => [
    ...touching.flatMap((edge) => numbers.get(edge) ?? []),
    ...turns.map((west) => numberOfTurn(ring.side, west)),
  ]);
  return { edges, lists };
}

function ints(values: readonly number[]): RawBuilder<number[]> {
  return sql`(${listed(values)}::int[])`;
}

/** @returns the first and the last index (from 1) of each list in the concatenation of all lists */
function slicesOf(lists: readonly (readonly unknown[])[]): { firsts: number[]; lasts: number[] } {
  const lasts: number[] = [];
  for (const { length } of lists) lasts.push((lasts.at(-1) ?? 0) + length);
  return { firsts: lists.map(({ length }, index) => (lasts[index] ?? 0) - length + 1), lasts };
}
