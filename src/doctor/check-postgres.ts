import { statfs } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { tlsAdvice } from '../db/address/tls-advice.ts';
import { conditionOf } from '../db/database-error.ts';
import { findLocks, lockInWords } from '../db/state/find-locks.ts';
import { missingMigrations } from '../db/migrate.ts';
import type { Database } from '../db/tables.ts';
import { readTime } from '../db/state/database-clock.ts';
import { surelyAheadMs } from '../gateways/clock-ahead.ts';
import { readTimeZoneNames } from '../db/state/time-zone-names.ts';
import { isRefusedByPooler } from '../db/unavailable.ts';
import { databaseWords } from '../status/database-words.ts';
import { SearchStart } from '../scheduling/search-start.ts';
import { readFacts } from '../status/facts-store.ts';
import { listTroubles } from '../status/list.ts';
import { CLOCK_APART_MS } from '../status/status.ts';
import { unknownZones } from '../time/time-zones.ts';
import { SET_POOLER } from './check-pooler.ts';
import { clockWords, fault, type Finding, ok, warning } from './finding.ts';

const CHECK = 'postgres';
/** Postgres 15, in the form of `server_version_num`. */
const VERSION_MIN = 150_000;
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
    const condition = conditionOf(error);
    const other = condition === undefined ? OTHER_ADVICE : databaseWords[condition].remedy;
    const advice = isRefusedByPooler(error) ? SET_POOLER : (tlsAdvice(error) ?? other);
    return [fault(CHECK, message, advice)];
  }
}

const ZONES_NAMED_MAX = 3;
const ZONES_ADVICE =
  'install the package tzdata-legacy (Debian) or tzdata on the machine or in the image of Postgres';

const OTHER_ADVICE = 'check the user, the password and the database in DATABASE_URL, and the log of Postgres';

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
    ...(await checkWork(db, clock)),
    Math.abs(aheadMs) > CLOCK_APART_MS
      ? warning(
          CHECK,
          `${clockWords(aheadMs)} of the clock of Postgres`,
          'synchronise both with a time server (NTP)',
        )
      : ok(CHECK, clockWords(aheadMs)),
  ];
  if (state.connections > CONNECTIONS_WARNING * state.connectionsMax) {
    const taken = `${state.connections} of its ${state.connectionsMax} connections are in use`;
    findings.push(warning(CHECK, taken, databaseWords.too_many_connections.remedy));
  }
  if (dataDir !== undefined) findings.push(await checkRoom(dataDir));
  return findings;
}

/** @returns how far the clock of this machine is ahead of the clock of Postgres; negative: behind */
async function compareClocks(db: Kysely<Database>, clock: Clock): Promise<number> {
  const asked = clock().getTime();
  const now = await readTime(db);
  const answered = clock().getTime();
  return surelyAheadMs({ asked, answered }, now.getTime());
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

/** Locks for which statements wait, and what the servers themselves list as troubles. */
async function checkWork(db: Kysely<Database>, clock: Clock): Promise<Finding[]> {
  const locks = await findLocks(db);
  const findings = locks.map((lock) =>
    fault(CHECK, `there is ${lockInWords(lock)}`, databaseWords.locked.remedy),
  );
  if (locks.length > 0 || (await missingMigrations(db)).length > 0) return findings;
  const facts = await readFacts(db, { start: new SearchStart(), now: clock() });
  const troubles = listTroubles({ facts, own: [], missingCredentials: [] });
  if (troubles.length === 0) return [ok(CHECK, 'nothing stands still')];
  return troubles.map(({ app, what, remedy }) => warning(app ?? CHECK, what, remedy));
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
