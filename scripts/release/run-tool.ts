/** Runs the machine's own programs that build and install a release. */
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

export const ROOT = path.join(import.meta.dirname, '../..');

/** A build by Maven that has to download its plugins first takes most of it. */
const TOOL_MS_MAX = 600_000;

/**
 * The environment without npm's additions for a script: the programs of this checkout on the path, among them its Node,
 * and settings that would make npm install elsewhere.
 */
export const machineEnvironment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_(?!config_(?:cache|registry)$)|NODE(?!_EXTRA_CA_CERTS$)|INIT_CWD$)/.test(name),
    ),
  ),
  PATH: (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.includes('node_modules') && !folder.includes('node-gyp-bin'))
    .join(path.delimiter),
};

/** @returns its standard output @throws {Error} with all of its output if it fails */
export async function runTool(
  program: string,
  words: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, words, {
      cwd,
      env: { ...machineEnvironment, ...env },
      timeout: TOOL_MS_MAX,
      maxBuffer: 2 ** 26,
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = Object.assign({ stdout: '', stderr: '' }, error);
    throw new Error(`${program} ${words.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** @returns whether a program prints a version, such as `17.0.15`, that is not below `minimum` */
export function hasTool(program: string, words: readonly string[], minimum: readonly number[]): boolean {
  const { stdout } = spawnSync(program, words, { env: machineEnvironment, encoding: 'utf8' });
  const version = /\d+(?:\.\d+)+/
    .exec(stdout ?? '')?.[0]
    .split('.')
    .map(Number);
  if (version === undefined) return false;
  const differing = minimum.findIndex((part, index) => part !== version[index]);
  return differing === -1 || (version[differing] ?? 0) > (minimum[differing] ?? 0);
}

/** Packs a folder. @returns the name of the package in `dist` */
export async function packNpm(folder: string, dist: string): Promise<string> {
  const printed = await runTool('npm', ['pack', '--silent', '--pack-destination', dist], { cwd: folder });
  return printed.trim();
}
