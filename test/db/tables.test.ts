/**
 * The types of the tables, which are written by hand (docs/decisions/0046), agree with the migrated schema. Columns that only SQL
 * texts and triggers use have no type.
 */
import { globSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
/** The tables in the sources, each with its columns and their types as text. */
const tables = globSync('src/db/**/*tables.ts').flatMap((file) => {
  const source = readFileSync(file, 'utf8').replaceAll(/ *\/\*\*[^]*?\*\/\n/g, '');
  return [...source.matchAll(/^ {2}(\w+): \{\n((?: {4}.*\n)+)/gm)].map(([, table = '', body = '']) => ({
    table,
    columns: [...body.matchAll(/^ {4}(\w+): ([^;]+);/gm)].map(([, name = '', type = '']) => ({ name, type })),
  }));
});

/** Whether a column may be null when it is read: `ColumnType` names what is read first. */
function isNullable(type: string): boolean {
  const read = /^ColumnType<([^,]+),/.exec(type)?.[1] ?? type;
  return /\bnull\b/.test(read);
}

test.each(tables)(
  'the table $table has the columns of its type, and they may be null where it says so',
  async ({ table, columns }) => {
    const { rows } = await sql<{ name: string; type: string; nullable: boolean }>`
    select column_name as name, data_type as type, is_nullable = 'YES' as nullable
    from information_schema.columns where table_schema = 'public' and table_name = ${table}`.execute(
      database.db,
    );
    expect(columns).not.toEqual([]);
    for (const { name, type } of columns) {
      const column = rows.find((row) => row.name === name);
      // What is read of JSON is unknown, which may be null.
      if (/^(?:ColumnType<unknown.*|unknown|JsonColumn)$/.test(type)) expect(column?.type).toBe('jsonb');
      else expect({ name, nullable: isNullable(type) }).toEqual({ name, nullable: column?.nullable });
    }
  },
);
