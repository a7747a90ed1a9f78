import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { retryOnConflict } from '../../src/devices/retry-on-conflict.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();

/** Makes Postgres raise an error of that code inside the transaction. */
function raise(code: string) {
  return sql.raw(`do $$ begin raise exception using errcode = '${code}'; end $$`);
}

test.each(['40001', '40P01', '23505'])('the work runs again after %s, rolled back before', async (code) => {
  const bundleId = `app.${code}`;
  let runs = 0;
  const result = await retryOnConflict(database.db, async (trx) => {
    await insertApp(trx, bundleId);
    runs += 1;
    if (runs < 3) await raise(code).execute(trx);
    return 'done';
  });
  expect([result, runs]).toEqual(['done', 3]);
});

test.each([
  ['a conflict with unavailable after 6 runs', '40P01', 6, { code: 'unavailable', retryAfterSeconds: 1 }],
  ['any other error at once', '22012', 1, { code: '22012' }],
])('the work throws %s', async (_what, code, runsMax, error) => {
  let runs = 0;
  const work = retryOnConflict(database.db, async (trx) => {
    runs += 1;
    await raise(code).execute(trx);
  });
  await expect(work).rejects.toMatchObject(error);
  expect(runs).toBe(runsMax);
});
