import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { COPY_NULL, copyIn, copyText } from '../../src/db/copy-in.ts';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();

test('a copied text arrives as it was, and null as null', async () => {
  await sql`create table copied (number integer, value text)`.execute(database.db);
  const special = fc.constantFrom('\\', '\\N', '\\.', '\t', '\n', '\r', '\r\n', "'", '"', 'ä🙂', '', 'x');
  const text = fc.oneof(
    fc.array(special).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme' }),
  );
  const storable = text.filter((value) => !value.includes('\0'));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(storable), { minLength: 1 }), async (values) => {
      await sql`truncate copied`.execute(database.db);
      const rows = values.map((value, index) => `${index}\t${value === null ? COPY_NULL : copyText(value)}`);
      await copyIn(database.db, 'copied', 'number, value', rows);
      const stored = await sql<{ value: string | null }>`select value from copied order by number`.execute(
        database.db,
      );
      expect(stored.rows.map(({ value }) => value)).toEqual(values);
    }),
    { numRuns: 50 },
  );
});

test('a refused row refuses all rows, and the connection goes on', async () => {
  await sql`create table numbered (number integer primary key)`.execute(database.db);
  await database.db.connection().execute(async (connection) => {
    const copied = copyIn(connection, 'numbered', 'number', ['1', '2', '1']);
    await expect(copied).rejects.toMatchObject({ code: '23505' });
    await expect(copyIn(connection, 'numbered', 'number', ['x'])).rejects.toMatchObject({ code: '22P02' });
    await copyIn(connection, 'numbered', 'number', ['3']);
    const { rows } = await sql`select number from numbered`.execute(connection);
    expect(rows).toEqual([{ number: 3 }]);
  });
});
