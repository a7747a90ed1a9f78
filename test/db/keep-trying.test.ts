import { DatabaseError } from 'pg';
import { expect, test } from 'vitest';
import { keepTrying } from '../../src/db/outages/keep-trying.ts';

const TIMES = 50;

function fromPostgres(code: string): DatabaseError {
  return Object.assign(new DatabaseError('so it says', 10, 'error'), { code });
}

function withCode(code: string): Error {
  return Object.assign(new Error('so it says'), { code });
}

/** Fails that often, then succeeds. @returns the number of failures that were reported */
async function triesAgainst(error: unknown, failures: number): Promise<number> {
  let calls = 0;
  let reported = 0;
  const attempt = async (): Promise<void> => {
    calls += 1;
    if (calls <= failures) throw error;
  };
  // -1 takes all of a wait away.
  await keepTrying(attempt, { random: () => -1, onFailure: () => (reported += 1) });
  return reported;
}

test.each([
  ['refused connections', withCode('ECONNREFUSED')],
  ['a connection that was cut', new Error('Connection terminated unexpectedly')],
  ['no answer', withCode('ETIMEDOUT')],
  ['no free connection', new Error('timeout exceeded when trying to connect')],
  ['a server that starts or stops', fromPostgres('57P03')],
  ['a full disk', fromPostgres('53100')],
  ['too many connections', fromPostgres('53300')],
  ['a lock, until the statement timeout', fromPostgres('57014')],
  ['a standby', fromPostgres('25006')],
  ['a deadlock', fromPostgres('40P01')],
  ['a table that is missing', fromPostgres('42P01')],
  ['a right that is missing', fromPostgres('42501')],
  ['a disk that does not read', fromPostgres('58030')],
  ['a role that is restored later', fromPostgres('28000')],
  ['a database that is restored later', fromPostgres('3D000')],
])('a statement that must not be lost is tried for as long as there is %s', async (_, error) => {
  expect(await triesAgainst(error, TIMES)).toBe(TIMES);
});

test.each([
  ['a value', fromPostgres('22P02')],
  ['a constraint', fromPostgres('23505')],
  ['our code', new TypeError('ours')],
])(
  'a statement that must not be lost is given up after six tries where the error is in %s',
  async (_, error) => {
    await expect(triesAgainst(error, 6)).rejects.toBe(error);
    expect(await triesAgainst(error, 5)).toBe(5);
  },
);
