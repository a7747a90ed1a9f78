/** Attributes that decide what a device is sent. They are read along with its push token. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/tables.ts';

/** Attributes that a notification may use. None is secret: push tokens are left out. */
export const factColumns = [
  'id',
  'platform',
  'locale',
  'time_zone',
  'country',
  'os_name',
  'os_version',
  'app_version',
  'sdk_version',
  'marketing_name',
  'user_id',
  'user_email',
] as const;

export type FactColumn = (typeof factColumns)[number];

/** An attribute of the device, or a custom attribute. Texts use neither `badge`, its kept badge, nor `encryption_key`. */
export type Fact = { column: FactColumn | 'badge' | 'encryption_key' } | { custom: string };

/** SQL: the values of facts of the row `devices` with this name, as a JSON array in their order. */
export function factsOf(table: 'd' | 'devices', facts: readonly Fact[]): RawBuilder<unknown[]> {
  const values = facts.map((fact) =>
    'column' in fact
      ? fact.column === 'badge'
        ? sql`coalesce(${sql.ref(`${table}.kept_badge`)}, ${sql.ref(`${table}.badge`)})`
        : sql.ref(`${table}.${fact.column}`)
      : sql`${sql.ref(`${table}.custom`)} -> ${fact.custom}::text -> 'value'`,
  );
  return sql<unknown[]>`json_build_array(${facts.length === 0 ? sql`` : sql.join(values)})`;
}

/** Reads the facts of a few devices. @returns by device id; devices that do not exist are missing */
export async function readFacts(
  db: Kysely<Database>,
  { appId, deviceIds, facts }: { appId: string; deviceIds: readonly string[]; facts: readonly Fact[] },
): Promise<Map<string, readonly unknown[]>> {
  const rows = await db
    .selectFrom('devices as d')
    .select(['d.id', factsOf('d', facts).as('facts')])
    .where('d.app_id', '=', appId)
    .where('d.id', 'in', deviceIds)
    .execute();
  return new Map(rows.map(({ id, facts: values }) => [id, values]));
}
