/**
 * Measures what Postgres reads and writes on its disk, in all of its processes and with the write-ahead log
 * (`pg_stat_io`, Postgres 18).
 */
import { z } from 'zod';
import type { BenchDatabase } from '../support/postgres.ts';

const diskWork = z.object({
  /** Reads and writes; several pages may be one. */
  transfers: z.coerce.number(),
  syncs: z.coerce.number(),
  bytes: z.coerce.number(),
});
export type DiskWork = z.infer<typeof diskWork>;

/** @returns undefined if Postgres is older than 18 and does not count bytes and the log here */
export async function readDiskWork({ readOne }: BenchDatabase): Promise<DiskWork | undefined> {
  const version = z.object({ number: z.coerce.number() });
  const { number } = await readOne(version, `select current_setting('server_version_num') as number`);
  if (number < 180_000) return undefined;
  return readOne(
    diskWork,
    `select sum(coalesce(reads, 0) + coalesce(writes, 0) + coalesce(extends, 0)) as transfers,
       sum(coalesce(fsyncs, 0)) as syncs,
       sum(coalesce(read_bytes, 0) + coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) as bytes
     from pg_stat_io`,
  );
}
