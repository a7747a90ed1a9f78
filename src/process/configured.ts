/** Opens what the settings name: the queue, a read replica, the database of addresses. */
import type { Kysely } from 'kysely';
import { systemClock } from '../clock.ts';
import { openReplica, type Replica } from '../db/replica/replica.ts';
import type { Database } from '../db/tables.ts';
import type { GeoIp } from '../devices/address/geoip.ts';
import type { Observe } from '../observe.ts';
import type { RedisQueue } from '../queue/bullmq-queue.ts';
import { openInProcessQueue } from '../queue/in-process.ts';
import type { Queue } from '../queue/queue.ts';
import { withFallback } from '../queue/with-fallback.ts';
import { type Config, ConfigError } from './config.ts';

/** @returns `redis` is the part of the queue that is on Redis, if the settings name one */
export async function openConfiguredQueue(
  { redisUrl }: Config,
  observe: Observe,
): Promise<{ queue: Queue; redis: RedisQueue | undefined }> {
  const inside = openInProcessQueue({ observe });
  if (redisUrl === undefined) return { queue: inside, redis: undefined };
  // Loaded only here: this saves a process that works alone 20 MB and a quarter of a second.
  const { openBullmqQueue } = await import('../queue/bullmq-queue.ts');
  const redis = openBullmqQueue({ redisUrl, clock: systemClock, observe });
  return { queue: withFallback(redis, inside), redis };
}

/** Only calls read the replica, so a process that is only a worker opens none. */
export function openConfiguredReplica(
  { databaseReplicaUrl, databaseReplicaMaxLagSeconds, databasePooler: pooler, role }: Config,
  { primary, observe }: { primary: Kysely<Database>; observe: Observe },
  opened: AsyncDisposableStack,
): Replica | undefined {
  if (databaseReplicaUrl === undefined || role === 'worker') return undefined;
  const maxLagMs = databaseReplicaMaxLagSeconds * 1_000;
  const replica = openReplica({ connectionString: databaseReplicaUrl, primary, pooler, maxLagMs, observe });
  opened.defer(async () => replica.close());
  return replica;
}

/** @throws {ConfigError} if the file cannot be read as a database of addresses */
export async function openConfiguredGeoIp(
  { geoipDatabase: file }: Config,
  observe: Observe,
  opened: AsyncDisposableStack,
): Promise<GeoIp | undefined> {
  if (file === undefined) return undefined;
  const { openGeoIp } = await import('../devices/address/geoip.ts');
  const geoip = await openGeoIp(file, observe).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`GEOIP_DATABASE cannot be read (${file}: ${reason})`]);
  });
  opened.defer(async () => geoip.close());
  return geoip;
}
