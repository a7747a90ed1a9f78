import { statfs } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { tlsAdvice } from '../db/address/tls-advice.ts';
import { conditionOf } from '../db/database-error.ts';
import { findLocks, lockInWords } from '../db/state/find-locks.ts';
import { missingMigrations } from '../db/migrate.ts';
import type { Database } from '../db/tables.ts';
import { surelyAheadMs } from '../gateways/clock-ahead.ts';
import type { DatabaseCondition } from '../observe.ts';
import { readTimeZoneNames } from '../db/state/time-zone-names.ts';
import { isRefusedByPooler } from '../db/unavailable.ts';
import { countTroubled, troubledInWords } from '../db/state/troubled-notifications.ts';
import { unknownZones } from '../time/time-zones.ts';
import { SET_POOLER } from './check-pooler.ts';
import { clockWords, fault, type Finding, ok, warning } from './finding.ts';

const CHECK = 'postgres';
/** Postgres 15, in the form of `server_version_num`. */
const VERSION_MIN = 150_000;
/** Leases and due times depend on the clocks of the workers, which must differ by much less than a lease. */
const CLOCK_WARNING_MS = 2_000;
const ROOM_WARNING_BYTES = 1e9;
/** Warn if more than this share of the connections is in use. */
const CONNECTIONS_WARNING = 0.8;

interface State {
  version: string;
  number: number;
  bytes: number;
  connections: number;
  connectionsMax: number;
}

/** @param dataDir a directory on the disk of Postgres, if known */
export async function checkPostgres(
  db: Kysely<Database>,
  clock: Clock,
  dataDir: string | undefined,
): Promise<Finding[]> {
  try {
    return await look(db, clock, dataDir);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const other = ADVICE[conditionOf(error) ?? 'other'];
    const advice = isRefusedByPooler(error) ? SET_POOLER : (tlsAdvice(error) ?? other);
    return [fault(CHECK, message, advice)];
  }
}

const TROUBLED_ADVICE =
  'remove the cause; they are tried again within a minute, and end as failed after some time';
const ZONES_NAMED_MAX = 3;
const ZONES_ADVICE =
  'install the package tzdata-legacy (Debian) or tzdata on the machine or in the image of Postgres';

const ADVICE: Readonly<Record<DatabaseCondition | 'other', string>> = {
  unreachable: 'check that Postgres runs and that DATABASE_URL names its host and port',
  terminated: 'check the log of Postgres, and the proxies in between',
  too_many_connections: 'raise max_connections of Postgres, or use a connection pooler',
  disk_full: 'free space on the disk of Postgres',
  out_of_memory: 'give Postgres more memory, or fewer connections',
  no_free_connection: 'find out which statements take long (pg_stat_activity)',
  locked: 'end the transaction that holds the lock: select pg_terminate_backend(<its process id>)',
  read_only: 'let DATABASE_URL name the primary, and check default_transaction_read_only',
  permission_denied: 'restore the rights of the role of DATABASE_URL on the schema; it should own the tables',
  wrong_schema: 'run "carillon migrate"; if the schema was changed by hand, restore a backup',
  other: 'check the user, the password and the database in DATABASE_URL, and the log of Postgres',
};

async function look(db: Kysely<Database>, clock: Clock, dataDir: string | undefined): Promise<Finding[]> {
  const state = (
    await sql<State>`select current_setting('server_version') as version,
      current_setting('server_version_num')::integer as number,
      pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::integer as "connectionsMax"`.execute(db)
  ).rows[0];
  if (state === undefined) throw new Error('Postgres returned no row');
  const aheadMs = await compareClocks(db, clock);
  const findings = [
    state.number < VERSION_MIN
      ? fault(CHECK, `Postgres ${state.version} is too old`, 'use Postgres 15 or later')
      : ok(CHECK, `Postgres ${state.version}, ${megabytes(state.bytes)} of data`),
    ...(await checkSchema(db)),
    await checkTimeZones(db),
    ...(await checkWork(db)),
    Math.abs(aheadMs) > CLOCK_WARNING_MS
      ? warning(
          CHECK,
          `${clockWords(aheadMs)} of the clock of Postgres`,
          'synchronise both with a time server (NTP)',
        )
      : ok(CHECK, clockWords(aheadMs)),
  ];
  if (state.connections > CONNECTIONS_WARNING * state.connectionsMax) {
    const taken = `${state.connections} of its ${state.connectionsMax} connections are in use`;
    findings.push(warning(CHECK, taken, ADVICE.too_many_connections));
  }
  if (dataDir !== undefined) findings.push(await checkRoom(dataDir));
  return findings;
}

/** @returns how far the clock of this machine is ahead of the clock of Postgres; negative: behind */
async function compareClocks(db: Kysely<Database>, clock: Clock): Promise<number> {
  const asked = clock().getTime();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const answered = clock().getTime();
  return surelyAheadMs({ asked, answered }, rows[0]?.now.getTime() ?? answered);
}

async function checkSchema(db: Kysely<Database>): Promise<Finding[]> {
  const missing = await missingMigrations(db);
  if (missing.length === 0) return [ok(CHECK, 'the schema is up to date')];
  return [
    warning(CHECK, `the schema lacks ${missing.join(', ')}`, 'run "carillon migrate", or start a server'),
  ];
}

/** Node's names of time zones, which devices send, are compared with those that Postgres knows. */
async function checkTimeZones(db: Kysely<Database>): Promise<Finding> {
  const { renamed, missing } = unknownZones(await readTimeZoneNames(db));
  const unknown = [...missing, ...renamed.keys()];
  if (unknown.length === 0) return ok(CHECK, 'knows all time zones');
  const named = unknown.slice(0, ZONES_NAMED_MAX).join(', ');
  const words = `lacks ${unknown.length} names of time zones (${named}${unknown.length > ZONES_NAMED_MAX ? ', …' : ''})`;
  return warning(
    CHECK,
    `${words}; devices with ${missing.length} of them count as without a time zone`,
    ZONES_ADVICE,
  );
}

/** Locks for which statements wait, and notifications that cannot be planned or sent. */
async function checkWork(db: Kysely<Database>): Promise<Finding[]> {
  const locks = await findLocks(db);
  const findings = locks.map((lock) => fault(CHECK, `there is ${lockInWords(lock)}`, ADVICE.locked));
  if (locks.length > 0 || (await missingMigrations(db)).length > 0) return findings;
  const troubled = await countTroubled(db);
  return troubled.count === 0
    ? [ok(CHECK, 'no notification fails to be planned or sent')]
    : [warning(CHECK, troubledInWords(troubled), TROUBLED_ADVICE)];
}

async function checkRoom(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  const room = bavail * bsize;
  const words = `${megabytes(room)} free in ${dataDir}`;
  return room < ROOM_WARNING_BYTES ? warning(CHECK, words, 'free space on that disk') : ok(CHECK, words);
}

function megabytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${Math.round(bytes / 1e8) / 10} GB`;
}
