/**
 * Compiles filters into one bitmap over the devices of the block `b` of `count_bitmap_blocks`
 * (migrations/0004-count-bitmaps.sql). If bitmaps cannot answer one filter of a list, the whole list is counted by rows.
 */
import { type RawBuilder, sql } from 'kysely';
import { eventCriteriaByKind, storedTexts } from '../rows/compile.ts';
import { doubleSpans, integerSpans, type Span, wholeSpans } from '../rows/compile-interval.ts';
import type { ColumnMap } from '../rows/column-map.ts';
import type { Filter } from '../../filters/filter.ts';
import { dateIntervals, numberIntervals } from '../../filters/interval.ts';
import type { Blocks } from './blocks.ts';

/** A bit string per block, with one bit per device of the block. */
export type Bitmap = RawBuilder<string>;

interface CompileOptions {
  now: Date;
  columns: ColumnMap;
  blocks: Blocks;
}

type SpanType = 'text' | 'int8' | 'float8';

const MICROSECONDS_PER_MS = 1_000n;
/** As `ColumnMap` names them; a number has a type of its own. */
const CUSTOM_TYPES = { custom_boolean: 'boolean', custom_date: 'date' } as const;
const ANY_NUMBER = { lower: undefined, upper: undefined };

/**
 * Users and device ids have no bitmaps: such filters select few devices, which an index finds. Nor have places: rows count a shape as
 * large as a continent in half a second for two million devices, and a small one by their index.
 */
export function mayHaveBitmap(filter: Filter): boolean {
  if (filter.kind === 'text') return filter.column !== 'user_id' && filter.column !== 'user_email';
  return filter.kind !== 'device_id' && filter.kind !== 'place';
}

/** @returns the bitmap of the devices that match all filters; undefined if a filter has no bitmap */
export function compileBitmap(filters: readonly Filter[], options: CompileOptions): Bitmap | undefined {
  const bitmaps: Bitmap[] = [];
  for (const filter of filters) {
    const bitmap = mayHaveBitmap(filter) ? compileFilter(filter, options) : undefined;
    if (bitmap === undefined) return undefined;
    bitmaps.push(filter.not ? sql`(~${bitmap})` : bitmap);
  }
  return bitmaps.length === 0 ? sql`(~b.empty_bitmap)` : sql`(${sql.join(bitmaps, sql` & `)})`;
}

function compileFilter(filter: Filter, options: CompileOptions): Bitmap | undefined {
  const { now, columns, blocks } = options;
  const column = (name: string, type: SpanType, spans: readonly Span<unknown>[]): Bitmap | undefined =>
    blocks.missing.has(name) ? undefined : columnBitmap(name, type, spans);
  switch (filter.kind) {
    case 'text':
      return column(filter.column, 'text', textSpans(storedTexts(filter)));
    case 'tags':
      return blocks.missing.has('tags') ? undefined : listBitmap('tags', filter.criteria);
    case 'version': {
      const texts = filter.criteria.flatMap((criterion) =>
        criterion.kind === 'text' ? [criterion.value] : [],
      );
      const found = columns.versions.get(filter);
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
      const held = columns.customColumn('string', filter.attribute);
      const list = `string ${filter.attribute}`;
      if (blocks.missing.has(list) || blocks.missing.has(held.column ?? '')) return undefined;
      return anyOf([
        ...(held.column === null ? [] : [columnBitmap(held.column, 'text', textSpans(filter.criteria))]),
        ...(held.inRest ? [listBitmap(list, filter.criteria)] : []),
      ]);
    }
    case 'custom_boolean':
    case 'custom_number':
    case 'custom_date': {
      const type = filter.kind === 'custom_number' ? filter.type : CUSTOM_TYPES[filter.kind];
      const held = columns.customColumn(type, filter.attribute);
      if (held.column === null || held.inRest) return undefined;
      return filter.kind === 'custom_number' && filter.type === 'float'
        ? column(held.column, 'float8', doubleSpans(numberIntervals(filter.criteria)))
        : column(held.column, 'int8', customSpans(filter, now));
    }
    case 'event':
      return blocks.missing.has(`event ${filter.event}`) ? undefined : eventBitmap(filter, now);
    case 'place':
    case 'device_id':
      return undefined;
  }
}

type CustomWhole = Extract<Filter, { kind: 'custom_boolean' | 'custom_number' | 'custom_date' }>;

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

/** Like `compileEventCriteria`, for the bitmaps of the event's count and last time. */
function eventBitmap({ event, criteria }: Extract<Filter, { kind: 'event' }>, now: Date): Bitmap {
  const { happened, counts, dates } = eventCriteriaByKind(criteria);
  const countSpans = integerSpans(happened ? [ANY_NUMBER] : numberIntervals(counts));
  const dateSpans = wholeSpans(dateIntervals(dates, now), MICROSECONDS_PER_MS);
  return anyOf([
    columnBitmap(`count of ${event}`, 'int8', countSpans),
    ...(dates.length === 0 ? [] : [columnBitmap(`last of ${event}`, 'int8', dateSpans)]),
  ]);
}

/** Sorts, so that adjacent values are looked up together. The UTF-16 order is nearly the order of Postgres. */
function textSpans(texts: readonly string[]): Span<string>[] {
  return texts.toSorted((left, right) => (left < right ? -1 : 1)).map((text) => ({ from: text, to: text }));
}

function flagSpans(flags: readonly boolean[]): Span<bigint>[] {
  return flags.map((flag) => ({ from: flag ? 1n : 0n, to: flag ? 1n : 0n }));
}

const VALUES_COLUMN = { text: 'texts', int8: 'wholes', float8: 'reals' } as const;

/** A block has no row for the column if none of its devices has a value. */
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

/** The type `"bit"` is quoted, because without quotes it means a single bit. */
function listBitmap(name: string, values: readonly string[]): Bitmap {
  return sql`coalesce((
    select bit_or(coalesce(l.bits, bits_of_positions(l.positions, b.devices))::"bit")::bit varying
    from count_bitmap_lists as l
    where l.app_id = b.app_id and l.number = b.number and l.name = ${name} and l.value = any(${values}::text[])
  ), b.empty_bitmap)`;
}

function anyOf(bitmaps: readonly Bitmap[]): Bitmap {
  return sql`(${sql.join(bitmaps, sql` | `)})`;
}
