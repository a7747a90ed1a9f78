import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { listParameter, preparedAs } from '../../src/db/prepared.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { observeNothing } from '../../src/observe.ts';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();

test('a marked statement is prepared once a connection and runs with the values of each call', async () => {
  await database.db.connection().execute(async (connection) => {
    const add = async (a: number, b: number | null) =>
      sql<{
        sum: number | null;
      }>`${preparedAs('add_two')} select ${a}::integer + ${b}::integer as sum`.execute(connection);
    expect((await add(1, 2)).rows).toEqual([{ sum: 3 }]);
    expect((await add(40, 2)).rows).toEqual([{ sum: 42 }]);
    expect((await add(1, null)).rows).toEqual([{ sum: null }]);
    await sql`select ${1}::integer + ${2}::integer`.execute(connection);
    const { rows } = await sql`select name from pg_prepared_statements`.execute(connection);
    expect(rows).toEqual([{ name: 'add_two' }]);
  });
});

test('a prepared statement takes part in a transaction, and survives the failure of another', async () => {
  const insert = preparedAs('insert_app');
  const id = '00000000-0000-4000-8000-000000000000';
  const transaction = database.db.transaction().execute(async (open) => {
    const add = async () =>
      sql`${insert} insert into apps values (${id}, 'app', 'App', ${new Date(0)})`.execute(open);
    await add();
    await add();
  });
  await expect(transaction).rejects.toMatchObject({ constraint: 'apps_pkey' });
  expect(await database.db.selectFrom('apps').select('id').execute()).toEqual([]);
  await sql`${insert} insert into apps values (${id}, 'app', 'App', ${new Date(0)})`.execute(database.db);
  expect(await database.db.selectFrom('apps').select('id').execute()).toEqual([{ id }]);
});

test.each([
  { pooler: 'transaction', prepared: 0 },
  { pooler: 'transaction_prepared', prepared: 1 },
] as const)(
  'a pooler of the kind $pooler gets $prepared prepared statements, and no session setting',
  async ({ pooler, prepared }) => {
    const db = connectDatabase({ connectionString: database.url, observe: observeNothing, pooler });
    try {
      await db.connection().execute(async (connection) => {
        const { rows } = await sql`${preparedAs('add_three')} select ${1}::integer + 3 as sum`.execute(
          connection,
        );
        expect(rows).toEqual([{ sum: 4 }]);
        const state = await sql`select count(*) as prepared, current_setting('statement_timeout') as timeout
          from pg_prepared_statements`.execute(connection);
        expect(state.rows).toEqual([{ prepared, timeout: '0' }]);
      });
    } finally {
      await db.destroy();
    }
  },
);

test('a list is passed with its nulls, its quotes and the moment of its times', async () => {
  const ids = ['00000000-0000-4000-8000-000000000001', null];
  const { rows } =
    await sql`select ${listParameter(ids, 'uuid')} as ids, ${listParameter([1, -2, null], 'int')} as numbers,
    ${listParameter(['a,b', '"{}\\', '', null], 'text')} as texts, ${listParameter([Buffer.of(0, 255)], 'bytea')} as bytes,
    ${listParameter([new Date(1_234), null], 'timestamptz')} as times, ${listParameter([], 'uuid')} as none`.execute(
      database.db,
    );
  expect(rows).toEqual([
    {
      ids,
      numbers: [1, -2, null],
      texts: ['a,b', '"{}\\', '', null],
      bytes: [Buffer.of(0, 255)],
      times: [new Date(1_234), null],
      none: [],
    },
  ]);
});
