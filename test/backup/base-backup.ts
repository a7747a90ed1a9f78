/**
 * A base backup of a running Postgres as `pg_basebackup` makes one, by the calls that are under it: the programs that
 * npm ships have no such tool. https://www.postgresql.org/docs/current/continuous-archiving.html, "Making a Base
 * Backup Using the Low Level API".
 */
import { execFile } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';

const run = promisify(execFile);
const directorySchema = z.tuple([z.object({ dir: z.string() })]);
const labelSchema = z.tuple([z.object({ labelfile: z.string() })]);

/**
 * @param url of the server, as its superuser
 * @param targetDir is made; `openEmbeddedPostgres` starts it where it is called `<DATA_DIR>/postgres`
 */
export async function makeBaseBackup(url: string, targetDir: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: found } = await client.query(`select current_setting('data_directory') as dir`);
    const [{ dir: clusterDir }] = directorySchema.parse(found);
    // One connection from start to stop: the backup ends with it.
    await client.query(`select pg_backup_start('test', fast => true)`);
    await copy(clusterDir, targetDir);
    const { rows } = await client.query('select labelfile from pg_backup_stop(wait_for_archive => false)');
    const [{ labelfile }] = labelSchema.parse(rows);
    // The log up to here is what makes the files, each copied at a moment of its own, one state.
    await rm(path.join(targetDir, 'pg_wal'), { recursive: true });
    await copy(path.join(clusterDir, 'pg_wal'), path.join(targetDir, 'pg_wal'));
    // In place of a file that has the cluster's owner: Postgres may be another user than we.
    await rename(path.join(targetDir, 'postmaster.pid'), path.join(targetDir, 'backup_label'));
    await writeFile(path.join(targetDir, 'backup_label'), labelfile);
  } finally {
    await client.end();
  }
}

/** With owners and modes. */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  await run('cp', ['-a', from, to]);
}
