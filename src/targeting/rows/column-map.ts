/** Reads which columns hold an app's custom attributes, and which versions the filters select. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { versionRanges } from './compile-interval.ts';
import type { Filter, VersionColumn, VersionCriterion } from '../../filters/filter.ts';

export interface ColumnMap {
  /** Where targeting rows hold a custom attribute: in a column, in the JSON `rest`, or in both. */
  customColumn(type: string, attribute: string): CustomColumn;
  /** For each filter on versions: the stored versions in the filter's ranges. */
  versions: ReadonlyMap<Filter, readonly string[]>;
}

interface CustomColumn {
  column: string | null;
  inRest: boolean;
}

/** Apps have hundreds of versions. If there are more than this, the version of each device is compared with the ranges. */
const VERSIONS_MAX = 2_000;

/** @param db the transaction of the count, so that both read the same snapshot */
export async function readColumnMap(
  db: Kysely<Database>,
  appId: string,
  filters: readonly Filter[],
): Promise<ColumnMap> {
  const held = await readCustomColumns(db, appId, filters);
  const versions = new Map<Filter, readonly string[]>();
  for (const filter of filters) {
    if (filter.kind !== 'version' || filter.criteria.every(({ kind }) => kind === 'text')) continue;
    const found = await findVersions(db, filter.column, filter.criteria);
    if (found !== undefined) versions.set(filter, found);
  }
  return {
    customColumn: (type, attribute) => held.get(`${type} ${attribute}`) ?? { column: null, inRest: true },
    versions,
  };
}

/** The columns of custom attributes, by `<type> <name>`. */
async function readCustomColumns(
  db: Kysely<Database>,
  appId: string,
  filters: readonly Filter[],
): Promise<Map<string, CustomColumn>> {
  if (!filters.some((filter) => 'attribute' in filter)) return new Map();
  const columns = await db
    .selectFrom('custom_columns')
    .selectAll()
    .where('app_id', '=', appId)
    .executeTakeFirst();
  if (columns === undefined) return new Map();
  const held = [
    ...columns.whole.map((name, index) => [`${columns.whole_types[index]} ${name}`, `whole_${index + 1}`]),
    ...columns.real.map((name, index) => [`float ${name}`, `real_${index + 1}`]),
    ...columns.flag.map((name, index) => [`boolean ${name}`, `flag_${index + 1}`]),
    ...columns.text.map((name, index) => [`string ${name}`, `text_${index + 1}`]),
  ];
  const alsoInRest = new Set(columns.also_in_rest);
  return new Map(
    held.map(([attribute = '', column = '']) => [attribute, { column, inRest: alsoInRest.has(attribute) }]),
  );
}

/**
 * Steps from one version to the next along the index, so that each version is compared once and not with every device.
 * `device_targets_unindexed` has no such index and is scanned.
 * @returns the versions, including those of other apps, which do no harm; undefined if there are too many
 */
async function findVersions(
  db: Kysely<Database>,
  column: VersionColumn,
  criteria: readonly VersionCriterion[],
): Promise<string[] | undefined> {
  const name = sql.ref(column);
  const { rows } = await sql<{ known: number; within: string[] | null }>`
    with recursive known (version, number) as (
      select min(${name}), 1 from indexed_device_targets
      union all
      select (select min(${name}) from indexed_device_targets where ${name} > known.version), number + 1
      from known
      where known.version is not null and number < ${VERSIONS_MAX}
    )
    select count(version) as known,
      array_agg(version) filter (where version_key(version) <@ ${versionRanges(criteria)}) as within
    from (select version from known union select distinct ${name} from device_targets_unindexed) as every`.execute(
    db,
  );
  const [found] = rows;
  return found === undefined || found.known >= VERSIONS_MAX ? undefined : (found.within ?? []);
}
