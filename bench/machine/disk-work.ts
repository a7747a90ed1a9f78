/**
 * Measures what Postgres reads and writes on its disk, in all of its processes and with the write-ahead log
 * (`pg_stat_io`, Postgres 18).
 */
import { z } from 'zod';
import type { BenchDatabase } from '../support/postgres.ts';

export interface DiskWork {
  /** Reads and writes; several pages may be one. */
  transfers: number;
  syncs: number;
  bytes: number;
}

const rowsSchema = z.tuple([
  z.object({ transfers: z.coerce.number(), syncs: z.coerce.number(), bytes: z.coerce.number() }),
]);

/** @returns undefined if Postgres is older than 18 and does not count bytes and the log here */
export async function readDiskWork({ sql }: BenchDatabase): Promise<DiskWork | undefined> {
  const version = await sql.query<{ number: string }>(
    `select current_setting('server_version_num') as number`,
  );
  if (Number(version.rows[0]?.number) < 180_000) return undefined;
  const { rows } = await sql.query(
    `select sum(coalesce(reads, 0) + coalesce(writes, 0) + coalesce(extends, 0)) as transfers,
       sum(coalesce(fsyncs, 0)) as syncs,
       sum(coalesce(read_bytes, 0) + coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) as bytes
     from pg_stat_io`,
  );
  return rowsSchema.parse(rows)[0];
}
