import { Client, DatabaseError } from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { conditionOf, databaseError } from '../../src/db/database-error.ts';
import { type DatabaseWatch, watchDatabase } from '../../src/db/watch-database.ts';
import { observeNothing } from '../../src/observe.ts';
import { collectObservations, useTestDatabase } from '../support/database.ts';
import { fillDisk } from '../support/full-disk.ts';
import { closedPort } from '../support/ports.ts';

const PATIENCE = { timeout: 30_000, interval: 20 };

function fromPostgres(code: string): DatabaseError {
  return Object.assign(new DatabaseError('so it says', 10, 'error'), { code });
}

function withCode(code: string): Error {
  return Object.assign(new Error('so it says'), { code });
}

/** As Node makes it, of a connection that could not be made. */
function notConnected(code: string, syscall = 'connect'): Error {
  return Object.assign(withCode(code), { errno: -1, syscall });
}

test.each([
  [fromPostgres('53100'), 'disk_full'],
  [fromPostgres('53300'), 'too_many_connections'],
  [fromPostgres('57P01'), 'terminated'],
  [fromPostgres('57P02'), 'terminated'],
  [fromPostgres('08006'), 'terminated'],
  [fromPostgres('57P03'), 'unreachable'],
  [notConnected('ECONNREFUSED'), 'unreachable'],
  [notConnected('ENOTFOUND', 'getaddrinfo'), 'unreachable'],
  [notConnected('ETIMEDOUT'), 'unreachable'],
  // Nothing is wrong with the database: no descriptor, port or memory of our own is left, or a firewall is in between.
  ...['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM', 'EACCES', 'ENETDOWN'].map(
    (code): [Error, 'unreachable'] => [notConnected(code), 'unreachable'],
  ),
  [new AggregateError([notConnected('ECONNREFUSED'), notConnected('EMFILE')]), 'unreachable'],
  [Object.assign(withCode('EMFILE'), { syscall: 'open' }), undefined],
  [withCode('ECONNRESET'), 'terminated'],
  [withCode('ETIMEDOUT'), 'terminated'],
  [new Error('Connection terminated unexpectedly'), 'terminated'],
  [new Error('timeout exceeded when trying to connect'), 'no_free_connection'],
  [new Error('Connection terminated due to connection timeout'), 'terminated'],
  [fromPostgres('40P01'), undefined],
  [fromPostgres('57014'), undefined],
  [fromPostgres('42P01'), 'wrong_schema'],
  [fromPostgres('42501'), 'permission_denied'],
  [fromPostgres('25006'), 'read_only'],
  [fromPostgres('53200'), 'out_of_memory'],
  [fromPostgres('22023'), undefined],
  [fromPostgres('55P03'), undefined],
  [new TypeError('ours'), undefined],
  ['thrown', undefined],
])('the error %s (%#) is of the condition %s', (error, condition) => {
  expect(conditionOf(error)).toBe(condition);
});

test('an error of the database is logged without the values that Postgres quotes', () => {
  const error = Object.assign(new DatabaseError('invalid input syntax: "secret"', 10, 'error'), {
    code: '22P02',
  });
  expect(JSON.stringify(databaseError(error, 'sweep'))).not.toContain('secret');
});

describe('the watch of the database', () => {
  const database = useTestDatabase();
  let watch: DatabaseWatch | undefined;
  afterEach(() => watch?.close());

  test('a full disk is reported once, counts as full until there is room again, and its end is reported', async () => {
    const reported = collectObservations();
    watch = watchDatabase({ db: () => database.db, clock: systemClock, observe: reported.observe });
    const makeRoom = await fillDisk(database.db);
    for (let errors = 0; errors < 5; errors++) watch.observe(databaseError(fromPostgres('53100'), 'sweep'));
    expect(watch.isFull).toBe(true);
    expect(reported.seen).toMatchObject([{ kind: 'database_away', condition: 'disk_full' }]);
    await makeRoom();
    await vi.waitFor(() => expect(watch?.isFull).toBe(false), PATIENCE);
    expect(reported.seen.slice(1)).toEqual([
      { kind: 'database_back', condition: 'disk_full', durationMs: expect.any(Number), errors: 5 },
    ]);
  });

  test('a lost connection is reported once, whatever its errors are, and does not count as a full disk', async () => {
    const reported = collectObservations();
    watch = watchDatabase({ db: () => database.db, clock: systemClock, observe: reported.observe });
    const { observe } = watch;
    observe(databaseError(fromPostgres('57P01')));
    observe(databaseError(notConnected('ECONNREFUSED'), 'sweep'));
    observe({
      kind: 'job_failed',
      job: 'plan',
      notificationId: 'n',
      requestId: 'request-1',
      error: new Error('cut'),
      condition: 'terminated',
    });
    observe(databaseError(fromPostgres('40P01'), 'index rows'));
    expect(watch.isFull).toBe(false);
    await vi.waitFor(() => expect(reported.seen).toHaveLength(2), PATIENCE);
    expect(reported.seen).toMatchObject([
      { kind: 'database_away', condition: 'terminated', message: 'Postgres 57P01: so it says' },
      { kind: 'database_back', condition: 'terminated', errors: 3 },
    ]);
  });

  test('a lock is named with its table and its owner, not as an unreachable database', async () => {
    const reported = collectObservations();
    watch = watchDatabase({ db: () => database.db, clock: systemClock, observe: reported.observe });
    const psql = new Client({ connectionString: database.url, application_name: 'psql' });
    await psql.connect();
    await psql.query('begin; lock table devices in access exclusive mode');
    for (const error of [fromPostgres('57014'), new Error('timeout exceeded when trying to connect')]) {
      watch.observe(databaseError(error, 'sweep'));
    }
    await vi.waitFor(() => expect(reported.seen).toHaveLength(1), PATIENCE);
    const message = expect.stringMatching(/^a lock on devices, held by process \d+ \(psql\)$/);
    expect(reported.seen).toEqual([{ kind: 'database_away', condition: 'locked', message }]);
    expect(watch.trouble).toMatchObject({ condition: 'locked', message });
    await psql.query('commit');
    await psql.end();
    await vi.waitFor(() => expect(watch?.trouble).toBeUndefined(), PATIENCE);
    expect(reported.seen.at(-1)).toMatchObject({ kind: 'database_back', condition: 'locked' });
  });

  test('a slow statement without a lock is no outage, and one without free connections is', async () => {
    const reported = collectObservations();
    watch = watchDatabase({ db: () => database.db, clock: systemClock, observe: reported.observe });
    watch.observe(databaseError(fromPostgres('57014'), 'count'));
    await vi.waitFor(() => {
      watch?.observe(databaseError(new Error('timeout exceeded when trying to connect')));
      expect(reported.seen).toHaveLength(1);
    }, PATIENCE);
    expect(reported.seen).toMatchObject([{ kind: 'database_away', condition: 'no_free_connection' }]);
  });

  test('an outage does not count as over while the database cannot be reached', async () => {
    const url = new URL(database.url);
    url.port = String(await closedPort());
    const away = connectDatabase({ connectionString: url.href, observe: observeNothing });
    const reported = collectObservations();
    watch = watchDatabase({ db: () => away, clock: systemClock, observe: reported.observe });
    const asked = vi.spyOn(away, 'getExecutor');
    watch.observe(databaseError(notConnected('ECONNREFUSED')));
    await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThanOrEqual(4), PATIENCE);
    expect(reported.seen).toHaveLength(1);
    await away.destroy();
  });
});
