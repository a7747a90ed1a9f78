/** The disk of Postgres is full: a file system that ends, so that its errors are those of the system. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { z } from 'zod';
import { lasts, onStand } from '../fault.ts';
import type { Servers } from '../stage.ts';

const run = promisify(execFile);
const FULL_SECONDS = 8;
const FREE_MEGABYTES = 64;
const directorySchema = z.tuple([z.object({ dir: z.string() })]);

const mount = async (dir: string, megabytes: number): Promise<unknown> =>
  run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir]);

/** @param what the directory of the cluster that is on a small disk of its own */
const onSmallDisk =
  (what: '.' | 'pg_wal') =>
  async ({ postgres }: Servers) => {
    const { rows } = await sql`select current_setting('data_directory') as dir`.execute(postgres.db);
    const [{ dir }] = directorySchema.parse(rows);
    const kept = `${dir}.kept`;
    const disk = path.join(dir, what);
    await postgres.stop('fast');
    // It works on a copy, and is back on its own files afterwards.
    await rename(dir, kept);
    await mkdir(disk, { recursive: true });
    const { stdout: used } = await run('du', ['-sm', path.join(kept, what)]);
    await mount(disk, Number.parseInt(used, 10) + FREE_MEGABYTES);
    await run('cp', ['-a', `${kept}/.`, dir]);
    await postgres.start();
    // Unless it has ended by itself.
    const stop = async (): Promise<void> => postgres.stop('immediate').catch(() => undefined);
    return {
      fillFor: async (seconds: number, provoke: () => Promise<unknown>) => {
        const filler = path.join(disk, 'filler');
        await expect(
          run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M'], { env: { ...process.env, LC_ALL: 'C' } }),
        ).rejects.toThrow('No space left on device');
        await expect(provoke()).rejects.toThrow();
        await lasts(seconds);
        await rm(filler);
        // One that cannot write its log ends, and has to be started again.
        const answers = await sql`select 1`.execute(postgres.db).then(
          () => true,
          () => false,
        );
        if (answers) return;
        await stop();
        await postgres.start();
      },
      close: async () => {
        await stop();
        await run('umount', [disk]);
        await rm(dir, { recursive: true, force: true });
        await rename(kept, dir);
        await postgres.start();
      },
    };
  };

export const fullDisk = [
  onStand(
    { name: `its disk full for ${FULL_SECONDS} s`, refusal },
    onSmallDisk('.'),
    async ({ fillFor }, { postgres: { db } }) => {
      await fillFor(FULL_SECONDS, async () =>
        sql`create table no_room as select repeat('x', 1000) from generate_series(1, 10000)`.execute(db),
      );
    },
  ),
  onStand(
    { name: `no room for its log for ${FULL_SECONDS} s, so that it ends`, refusal },
    onSmallDisk('pg_wal'),
    async ({ fillFor }, { postgres: { db } }) => {
      await fillFor(FULL_SECONDS, async () => {
        // It has files in store: the disk is full for it when it has begun the last of them.
        for (;;) await sql`select pg_logical_emit_message(false, '', ''), pg_switch_wal()`.execute(db);
      });
    },
  ),
];

/** @returns why no disk can be made: only root may mount, and not in every container */
async function refusal(): Promise<string | undefined> {
  const dir = await mkdtemp(path.join(tmpdir(), 'carillon-disk-'));
  try {
    await mount(dir, 1);
    await run('umount', [dir]);
    return undefined;
  } catch (error) {
    return String(error).trim();
  } finally {
    await rmdir(dir);
  }
}
