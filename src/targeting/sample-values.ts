/**
 * Reads the values and the names that a sample of an app's devices has. Ids are random, so the first devices by id are a
 * sample, which one range of an index finds, however many devices there are.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import type { Attribute } from '../filters/attributes.ts';
import { inCountTransaction } from './count-transaction.ts';

export interface SampledValue {
  value: string;
  /** Of the sample. */
  devices: number;
}

export interface ValueSample {
  /** Sampled devices. */
  sampled: number;
  /** Whether the sample is all devices of the app. */
  isWhole: boolean;
  /** Sampled devices that have any value; a device with two values counts twice. */
  holders: number;
  /** Different values, also of those that are not listed. */
  different: number;
  /** The most common ones first. */
  values: readonly SampledValue[];
}

const SAMPLE_DEVICES = 20_000;
/** Fewer, because custom attributes of any name are only in the wide rows of `devices`. */
const NAME_SAMPLE_DEVICES = 5_000;
const VALUES_MAX = 1_000;
/** For one statement: a person is typing. */
const TIMEOUT_MS = 1_000;

export interface SampleRequest {
  appId: string;
  /** How many devices are sampled. */
  size?: number;
}

/**
 * @returns undefined for attributes whose values say who or where somebody is, and for those that have no common values
 *   (dates, fractions, events)
 * @throws {ApiError} `unavailable` if it takes longer than a second
 */
export async function sampleValues(
  db: Kysely<Database>,
  request: SampleRequest,
  attribute: Attribute,
): Promise<ValueSample | undefined> {
  const values = valuesOf(attribute);
  if (values === undefined) return undefined;
  return inCountTransaction(db, { timeoutMs: TIMEOUT_MS, inBackground: true }, async (transaction) => {
    const column = 'attribute' in attribute ? await columnOf(transaction, request.appId, attribute) : null;
    return readSample(transaction, request, values(column));
  });
}

/** The names of the app's custom attributes and events as filters write them: `custom.<type>.<name>`, `events.<name>`. */
export async function sampleNames(db: Kysely<Database>, request: SampleRequest): Promise<ValueSample> {
  return inCountTransaction(db, { timeoutMs: TIMEOUT_MS, inBackground: true }, async (transaction) =>
    readSample(transaction, { size: NAME_SAMPLE_DEVICES, ...request }, NAMES),
  );
}

/** @param values a query of the texts `value` of the sampled device `d` */
async function readSample(
  transaction: Kysely<Database>,
  { appId, size = SAMPLE_DEVICES }: SampleRequest,
  values: RawBuilder<unknown>,
): Promise<ValueSample> {
  const { rows } = await sql<{ sampled: number; holders: number; different: number; values: SampledValue[] }>`
    with d as materialized (
      select * from device_targets where app_id = ${appId} order by id limit ${size + 1}
    ), held as (
      select each.value, count(*) as devices from (select * from d limit ${size}) as d, lateral (${values}) as each
      where each.value is not null group by each.value
    )
    select (select count(*) from d) as sampled, coalesce(sum(devices), 0)::bigint as holders, count(*) as different,
      (select coalesce(json_agg(first), '[]') from (
        select value, devices from held order by devices desc, value limit ${VALUES_MAX}
      ) as first) as values
    from held`.execute(transaction);
  const { sampled = 0, ...found } = rows[0] ?? { holders: 0, different: 0, values: [] };
  return { ...found, sampled: Math.min(sampled, size), isWhole: sampled <= size };
}

/** @returns a query of the values of the device `d`, given the column that holds a custom attribute */
function valuesOf(attribute: Attribute): ((column: string | null) => RawBuilder<unknown>) | undefined {
  switch (attribute.kind) {
    case 'text':
    case 'version':
      if (attribute.column === 'user_id' || attribute.column === 'user_email') return undefined;
      return () => sql`select ${sql.ref(`d.${attribute.column}`)} as value`;
    case 'tags':
      return () => sql`select distinct value from jsonb_array_elements_text(d.tags) as tag (value)`;
    case 'custom_string':
      return (column) => customValues('string', attribute.attribute, column);
    case 'custom_boolean':
      return (column) => customValues('boolean', attribute.attribute, column);
    case 'custom_number':
      if (attribute.type === 'float') return undefined;
      return (column) => customValues('integer', attribute.attribute, column);
    case 'custom_date':
    case 'date':
    case 'badge':
    case 'development':
    case 'device_id':
    case 'place':
    case 'event':
      return undefined;
  }
}

/** Those in the column, and those in `rest`, where a device may have a list of them. */
function customValues(type: string, name: string, column: string | null): RawBuilder<unknown> {
  const rest = sql`d.rest -> ${`${type} ${name}`}::text`;
  const inRest = sql`
    select listed.value from jsonb_array_elements_text(
      case jsonb_typeof(${rest}) when 'array' then ${rest} else jsonb_build_array(${rest}) end
    ) as listed (value) where ${rest} is not null`;
  return column === null ? inRest : sql`select ${sql.ref(`d.${column}`)}::text as value union ${inRest}`;
}

async function columnOf(
  transaction: Kysely<Database>,
  appId: string,
  attribute: Extract<Attribute, { attribute: string }>,
): Promise<string | null> {
  const name = attribute.attribute;
  const { rows } = await sql<{ column: string | null }>`
    select case ${attribute.kind}
      when 'custom_string' then 'text_' || array_position(c.text, ${name})
      when 'custom_boolean' then 'flag_' || array_position(c.flag, ${name})
      else (select 'whole_' || position from unnest(c.whole, c.whole_types) with ordinality as each (name, type, position)
        where name = ${name} and type = 'integer' limit 1)
    end as column
    from custom_columns as c where c.app_id = ${appId}`.execute(transaction);
  return rows[0]?.column ?? null;
}

const NAMES = sql`
  select 'custom.' || custom.type || '.' || custom.name as value
  from devices as full_row, lateral (
    select each.value ->> 'type' as type, each.key as name from jsonb_each(full_row.custom) as each
  ) as custom
  where full_row.app_id = d.app_id and full_row.id = d.id
  union
  select 'events.' || e.name from device_events as e where e.app_id = d.app_id and e.device_id = d.id`;
