import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { retryOnConflict } from '../../src/devices/retry-on-conflict.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();

/** Makes Postgres raise an error of that code inside the transaction. */
function raise(code: string) {
  return sql.raw(`do $$ begin raise exception using errcode = '${code}'; end $$`);
}

describe('retryOnConflict', () => {
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

  test('the work fails with unavailable after 6 runs', async () => {
    let runs = 0;
    const work = retryOnConflict(database.db, async (trx) => {
      runs += 1;
      await raise('40P01').execute(trx);
    });
    await expect(work).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    expect(runs).toBe(6);
  });

  test('any other error is thrown at once', async () => {
    let runs = 0;
    const work = retryOnConflict(database.db, async (trx) => {
      runs += 1;
      await raise('22012').execute(trx);
    });
    await expect(work).rejects.toMatchObject({ code: '22012' });
    expect(runs).toBe(1);
  });
});
