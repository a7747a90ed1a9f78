/**
 * The types of the tables, which are written by hand (docs/decisions/0046), agree with the migrated schema. Columns that only SQL
 * texts and triggers use have no type.
 */
import { globSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const source = globSync('src/db/**/*tables.ts')
  .map((file) => readFileSync(file, 'utf8').replaceAll(/\/\*\*[^]*?\*\//g, ''))
  .join('\n');

/** The fields of an interface, each with its type as text. */
function fieldsOf(name: string): [field: string, type: string][] {
  const body = new RegExp(`interface ${name}(?: extends [^{]+)? \\{([^]*?)\\n\\}`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(\w+): ([^;]+);/gm)].map(([, field = '', type = '']) => [field, type]);
}

/** Whether a column may be null when it is read: `ColumnType` names what is read first. */
function isNullable(type: string): boolean {
  const read = /^ColumnType<([^,]+),/.exec(type)?.[1] ?? type;
  return /\bnull\b/.test(read);
}

const tables = ['Database', 'ChannelTables', 'DeliveryTables'].flatMap(fieldsOf);

test.each(tables)(
  'the table %s has the columns of its type, and they may be null where it says so',
  async (table, type) => {
    const { rows } = await sql<{ name: string; type: string; nullable: boolean }>`
    select column_name as name, data_type as type, is_nullable = 'YES' as nullable
    from information_schema.columns where table_schema = 'public' and table_name = ${table}`.execute(
      database.db,
    );
    const typed = fieldsOf(type);
    expect(typed).not.toEqual([]);
    for (const [name, written] of typed) {
      const column = rows.find((row) => row.name === name);
      // What is read of JSON is unknown, which may be null.
      if (/^(?:ColumnType<unknown.*|unknown|JsonColumn)$/.test(written)) expect(column?.type).toBe('jsonb');
      else expect({ name, nullable: isNullable(written) }).toEqual({ name, nullable: column?.nullable });
    }
  },
);
