/**
 * Turns filters into one bitmap over the devices of the block `b` of `count_bitmap_blocks`, where the app is laid out in
 * blocks (migrations/0004-count-bitmaps.sql). What no bitmap answers exactly (users, ids, rare events) makes the whole list
 * one that is counted by rows.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { byWhatTheySay } from '../rows/compile.ts';
import { placeBitmap, readSomePlaces } from './compile-place-bitmaps.ts';
import { doubleSpans, integerSpans, type Span, wholeSpans } from '../rows/compile-interval.ts';
import type { Targets } from '../rows/column-map.ts';
import { someHaveNoToken } from '../count-unreachable.ts';
import type { Filter } from '../../filters/filter.ts';
import { dateIntervals, numberIntervals } from '../../filters/interval.ts';

/** Bit strings, all as long as the block has devices. */
type Bitmap = RawBuilder<string>;

export interface Blocks {
  /** Columns, names of lists and `event <name>` of which some block has no bitmaps. */
  leftOut: ReadonlySet<string>;
  /** The names of the events that were asked for. */
  events: readonly string[];
  /** Whether some device of the app has no token. */
  someUnreachable: boolean;
  /** Where filters are on places: those of some devices, as place codes. */
  somePlaces: readonly number[];
}

interface CompileOptions {
  now: Date;
  targets: Targets;
  blocks: Blocks;
}

type SpanType = 'text' | 'int8' | 'float8';

const MICROSECONDS_PER_MS = 1_000n;
const ANY_NUMBER = { lower: undefined, upper: undefined };

/**
 * @param filters those that are to be compiled
 * @returns undefined where the app is not laid out, or not every block is sealed yet
 */
export async function readBlocks(
  db: Kysely<Database>,
  appId: string,
  filters: readonly Filter[],
): Promise<Blocks | undefined> {
  const events = filters.flatMap((filter) => (filter.kind === 'event' ? [filter.event] : []));
  const { rows } = await sql<{ leftOut: string[] | null; someUnreachable: boolean }>`
    select ${leftOutOf(appId, events)} as "leftOut", ${someHaveNoToken(appId)} as "someUnreachable"`.execute(
    db,
  );
  const { leftOut = null, someUnreachable = true } = rows[0] ?? {};
  if (leftOut === null) return undefined;
  const somePlaces = filters.some(({ kind }) => kind === 'place') ? await readSomePlaces(db, appId) : [];
  return { leftOut: new Set(leftOut), events, someUnreachable, somePlaces };
}

/** Whether the blocks are as they were read, for a statement that may see a later state of them. */
export function areAsRead(appId: string, { leftOut, events }: Blocks): RawBuilder<boolean> {
  return sql`${leftOutOf(appId, events)} = ${[...leftOut]}::text[]`;
}

/** In order; null if some block has not been built. */
function leftOutOf(appId: string, events: readonly string[]): RawBuilder<string[] | null> {
  return sql`(
    select array(
      select unnest(b.without_bitmaps) as name from count_bitmap_blocks as b where b.app_id = l.app_id
      union
      select 'event ' || event
      from count_bitmap_blocks as b, unnest(${events}::text[]) as event
      where b.app_id = l.app_id and b.has_other_events and event <> all (b.events)
      order by name
    )
    from count_bitmap_layouts as l
    where l.app_id = ${appId}
      and (select count(*) from count_bitmap_blocks as b where b.app_id = l.app_id) = cardinality(l.first_ids)
  )`;
}

/** @returns the bitmap of the devices that match all filters; undefined where some filter has none */
export function compileBitmap(filters: readonly Filter[], options: CompileOptions): Bitmap | undefined {
  const bitmaps: Bitmap[] = [];
  for (const filter of filters) {
    const bitmap = compileFilter(filter, options);
    if (bitmap === undefined) return undefined;
    bitmaps.push(filter.not ? sql`(~${bitmap})` : bitmap);
  }
  return bitmaps.length === 0 ? sql`(~b.empty_bitmap)` : sql`(${sql.join(bitmaps, sql` & `)})`;
}

function compileFilter(filter: Filter, { now, targets, blocks }: CompileOptions): Bitmap | undefined {
  const column = (name: string, type: SpanType, spans: readonly Span<unknown>[]): Bitmap | undefined =>
    blocks.leftOut.has(name) ? undefined : columnBitmap(name, type, spans);
  switch (filter.kind) {
    case 'text':
      if (filter.column === 'user_id' || filter.column === 'user_email') return undefined;
      return column(filter.column, 'text', textSpans(filter.criteria));
    case 'tags':
      return blocks.leftOut.has('tags') ? undefined : listBitmap('tags', filter.criteria);
    case 'version': {
      const texts = filter.criteria.flatMap((criterion) =>
        criterion.kind === 'text' ? [criterion.value] : [],
      );
      const found = targets.versions.get(filter);
      if (texts.length < filter.criteria.length && found === undefined) return undefined;
      return column(filter.column, 'text', textSpans([...texts, ...(found ?? [])]));
    }
    case 'date': {
      const intervals = dateIntervals(filter.criteria, now);
      return column(filter.column, 'int8', wholeSpans(intervals, MICROSECONDS_PER_MS));
    }
    case 'badge':
      return column('badge', 'int8', integerSpans(numberIntervals(filter.criteria)));
    case 'development':
      return column('development', 'int8', flagSpans(filter.criteria));
    case 'custom_string': {
      const place = targets.customPlace('string', filter.attribute);
      const list = `string ${filter.attribute}`;
      if (blocks.leftOut.has(list) || blocks.leftOut.has(place.column ?? '')) return undefined;
      return anyOf([
        ...(place.column === null ? [] : [columnBitmap(place.column, 'text', textSpans(filter.criteria))]),
        ...(place.inRest ? [listBitmap(list, filter.criteria)] : []),
      ]);
    }
    case 'custom_boolean':
    case 'custom_number':
    case 'custom_date': {
      const place = targets.customPlace(typeOf(filter), filter.attribute);
      if (place.column === null || place.inRest) return undefined;
      return filter.kind === 'custom_number' && filter.type === 'float'
        ? column(place.column, 'float8', doubleSpans(numberIntervals(filter.criteria)))
        : column(place.column, 'int8', customSpans(filter, now));
    }
    case 'event':
      return blocks.leftOut.has(`event ${filter.event}`) ? undefined : eventBitmap(filter, now);
    case 'place': {
      const within = placeBitmap(filter, blocks.somePlaces);
      return within !== undefined && filter.gpsOnly ? sql`(${within} & ${HAVE_GPS})` : within;
    }
    case 'device_id':
      return undefined;
  }
}

type CustomWhole = Extract<Filter, { kind: 'custom_boolean' | 'custom_number' | 'custom_date' }>;

function typeOf(filter: CustomWhole): string {
  if (filter.kind === 'custom_number') return filter.type;
  return filter.kind === 'custom_boolean' ? 'boolean' : 'date';
}

function customSpans(filter: CustomWhole, now: Date): Span<bigint>[] {
  switch (filter.kind) {
    case 'custom_boolean':
      return flagSpans(filter.criteria);
    case 'custom_number':
      return integerSpans(numberIntervals(filter.criteria));
    case 'custom_date':
      return wholeSpans(dateIntervals(filter.criteria, now), 1n);
  }
}

/** As `compileEventCriteria`, of the columns that say how often the event happened, and when it last did. */
function eventBitmap({ event, criteria }: Extract<Filter, { kind: 'event' }>, now: Date): Bitmap {
  const { happened, counts, dates } = byWhatTheySay(criteria);
  const countSpans = integerSpans(happened ? [ANY_NUMBER] : numberIntervals(counts));
  const dateSpans = wholeSpans(dateIntervals(dates, now), MICROSECONDS_PER_MS);
  return anyOf([
    columnBitmap(`count of ${event}`, 'int8', countSpans),
    ...(dates.length === 0 ? [] : [columnBitmap(`last of ${event}`, 'int8', dateSpans)]),
  ]);
}

/** In order, as far as UTF-16 has the order of code points: those that follow on one another are looked up at once. */
function textSpans(texts: readonly string[]): Span<string>[] {
  return texts.toSorted((left, right) => (left < right ? -1 : 1)).map((text) => ({ from: text, to: text }));
}

function flagSpans(flags: readonly boolean[]): Span<bigint>[] {
  return flags.map((flag) => ({ from: flag ? 1n : 0n, to: flag ? 1n : 0n }));
}

const VALUES_COLUMN = { text: 'texts', int8: 'wholes', float8: 'reals' } as const;

/** A block that knows no value of the column has no row of it. */
function columnBitmap(name: string, type: SpanType, spans: readonly Span<unknown>[]): Bitmap {
  const list = (values: readonly unknown[]): RawBuilder<unknown> =>
    sql`${values.map(String)}::${sql.raw(type)}[]`;
  return sql`coalesce((
    select bits_within(c.bit_slices, ${sql.ref(`c.${VALUES_COLUMN[type]}`)},
      ${list(spans.map(({ from }) => from))}, ${list(spans.map(({ to }) => to))})
    from count_bitmap_columns as c
    where c.app_id = b.app_id and c.number = b.number and c.name = ${name}
  ), b.empty_bitmap)`;
}

/** In quotes, for the type `bit` without them is one of a single bit. */
function listBitmap(name: string, values: readonly string[]): Bitmap {
  return sql`coalesce((
    select bit_or(coalesce(l.bits, bits_of_positions(l.positions, b.devices))::"bit")::bit varying
    from count_bitmap_lists as l
    where l.app_id = b.app_id and l.number = b.number and l.name = ${name} and l.value = any(${values}::text[])
  ), b.empty_bitmap)`;
}

/** The devices of the block that are of iOS. */
export const ON_IOS: Bitmap = columnBitmap('on_ios', 'int8', flagSpans([true]));

/** Those whose place is by GPS. */
const HAVE_GPS: Bitmap = columnBitmap('gps', 'int8', flagSpans([true]));

function anyOf(bitmaps: readonly Bitmap[]): Bitmap {
  return sql`(${sql.join(bitmaps, sql` | `)})`;
}
