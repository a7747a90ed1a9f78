/**
 * Checks everything that a server needs, in parallel: settings, Postgres, Redis, the gateways, the clock, and whether the
 * gateways accept each app's credentials. Changes nothing, and sends no push that could reach a device.
 */
import path from 'node:path';
import { findApp, listApps } from '../apps/apps.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../process/config.ts';
import { databaseOn, openPool } from '../db/connect.ts';
import { type EmbeddedPostgres, hasEmbeddedPostgres, openEmbeddedPostgres } from '../db/embedded-postgres.ts';
import { missingMigrations } from '../db/migrate.ts';
import { observeNothing } from '../observe.ts';
import { CONTAINER_BYTES_ADVISED, containerBytes } from '../process/container-memory.ts';
import { connectionsMaxOf, DESCRIPTORS_ADVISED, readDescriptorLimit } from '../process/descriptors.ts';
import { readSecretKey } from '../process/resources.ts';
import { checkCredentials, type CredentialContext } from './check-credentials.ts';
import { checkGateways } from './check-gateways.ts';
import { checkPostgres } from './check-postgres.ts';
import { checkPooler } from './check-pooler.ts';
import { checkRedis } from './check-redis.ts';
import { checkReplica } from './check-replica.ts';
import { fault, type Finding, ok, warning, withinTime } from './finding.ts';

const NODE_MAJOR_MIN = 24;
const TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 4;

/** @param app bundle id or id of the app whose credentials are checked; undefined: all apps */
export async function examine(config: Config, clock: Clock, app: string | undefined): Promise<Finding[]> {
  const openFiles = checkOpenFiles(readDescriptorLimit(), config);
  const found = await Promise.all([
    withinTime('postgres', TIMEOUT_MS, async () => checkDatabase(config, clock, app)),
    withinTime('replica', TIMEOUT_MS, async () => checkReplica(config)),
    config.redisUrl === undefined
      ? [ok('redis', 'REDIS_URL is not set: jobs stay inside the process')]
      : withinTime('redis', TIMEOUT_MS, async () => checkRedis(config.redisUrl ?? '')),
    withinTime('gateways', TIMEOUT_MS, async () => checkGateways(config, clock)),
  ]);
  const memory = checkMemory(containerBytes(), config);
  return [checkNode(process.versions.node), ok('settings', 'valid'), openFiles, memory, ...found.flat()];
}

function checkNode(version: string): Finding {
  return Number(version.split('.')[0]) >= NODE_MAJOR_MIN
    ? ok('node', `Node ${version}`)
    : fault('node', `Node ${version} is too old`, `use Node ${NODE_MAJOR_MIN} or later`);
}

/** A server that is started elsewhere, for example by systemd, may have a different limit than this command. */
function checkOpenFiles(limit: number, { role }: Pick<Config, 'role'>): Finding {
  const check = 'open files';
  if (limit === Infinity) return ok(check, 'not limited');
  const words = `at most ${limit}, which is enough for ${connectionsMaxOf(limit, role)} connections`;
  return limit >= DESCRIPTORS_ADVISED
    ? ok(check, words)
    : warning(
        check,
        words,
        `allow ${DESCRIPTORS_ADVISED} or more: ulimit -n, LimitNOFILE of systemd, ulimits of Docker`,
      );
}

function checkMemory(limit: number, { role }: Pick<Config, 'role'>): Finding {
  const check = 'memory';
  if (limit === Infinity) return ok(check, 'limited by the machine alone');
  const words = `at most ${Math.floor(limit / 2 ** 20)} MiB in this container`;
  return role === 'all' && limit < CONTAINER_BYTES_ADVISED
    ? warning(check, words, 'allow 512 MiB or more: a bulk notification may get the process ended otherwise')
    : ok(check, words);
}

async function checkDatabase(config: Config, clock: Clock, app: string | undefined): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined) return checkDatabaseAt(databaseUrl, config, { clock, app });
  if (!hasEmbeddedPostgres(dataDir)) {
    const message = `there is no database in ${path.resolve(dataDir)} yet`;
    return [warning('postgres', message, 'the first start of a server creates it; otherwise check DATA_DIR')];
  }
  let embedded: EmbeddedPostgres;
  try {
    embedded = await openEmbeddedPostgres(dataDir, observeNothing);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [fault('postgres', message, 'check its logs under DATA_DIR')];
  }
  try {
    return await checkDatabaseAt(embedded.connectionString, config, { clock, app, dataDir });
  } finally {
    await embedded.close();
  }
}

async function checkDatabaseAt(
  connectionString: string,
  config: Config,
  { clock, app, dataDir }: { clock: Clock; app: string | undefined; dataDir?: string },
): Promise<Finding[]> {
  const { databasePooler: pooler } = config;
  const connectionsMax = CONNECTIONS_MAX;
  const pool = openPool({ connectionString, observe: observeNothing, connectionsMax, pooler });
  const db = databaseOn(pool, { pooler });
  try {
    const findings = [...(await checkPostgres(db, clock, dataDir)), ...(await checkPooler(pool, pooler))];
    // Credentials can be read only from the tables of this release.
    if (findings.some(({ level }) => level === 'fault') || !(await isMigrated(db))) return findings;
    const secret = await readSecretKey(config);
    return [...findings, ...(await checkApps({ db, secret, config, clock }, app))];
  } finally {
    await db.destroy();
  }
}

async function checkApps(context: CredentialContext, wanted: string | undefined): Promise<Finding[]> {
  const { db } = context;
  if (wanted === undefined) {
    const apps = await listApps(db);
    if (apps.length === 0)
      return [warning('apps', 'there are no apps yet', 'create one with "carillon apps create"')];
    return (await Promise.all(apps.map(async (app) => checkCredentials(context, app)))).flat();
  }
  const app = await findApp(db, wanted);
  if (app === undefined) return [fault('apps', `there is no app ${wanted}`, 'see "carillon apps list"')];
  return checkCredentials(context, app);
}

async function isMigrated(db: CredentialContext['db']): Promise<boolean> {
  return (await missingMigrations(db)).length === 0;
}
