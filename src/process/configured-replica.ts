/** Opens the read replica that the settings name. */
import type { Kysely } from 'kysely';
import { openReplica, type Replica } from '../db/replica/replica.ts';
import type { Database } from '../db/tables.ts';
import type { Observe } from '../observe.ts';
import type { Config } from './config.ts';

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
