/** The peers that are not in this repository's `package.json`: how each is installed, in its folder, and started. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface ForeignPeer {
  /** Also the name of its folder. */
  name: string;
  version: string;
  /** Names of all packages with their checksums. Maven has no such file: there, releases never change, and `-C` checks them. */
  lock: string;
  /** It waits for the id of a push in the answer, which nghttpd does not send back. */
  needsNginx?: boolean;
  /** Commands, one after another. What they make is in `target/`, or in `node_modules/`. */
  install: readonly (readonly string[])[];
  /** The command that starts it, with paths in its folder as `./`. */
  start: readonly string[];
}

const GO = { lock: 'go.sum', install: [['go', 'build', '-o', 'target/peer', '.']], start: ['./target/peer'] };
const VENDORED = ['source.crates-io.replace-with="vendored"', 'source.vendored.directory="target/vendor"'];
const A2_SOURCE = 'target/vendor/a2-0.10.0';

export const foreignPeers: readonly ForeignPeer[] = [
  { name: 'gorush', version: '1.22.0', ...GO },
  { name: 'apns2', version: '0.25.0', ...GO },
  {
    name: 'pushy',
    version: '0.15.4',
    lock: 'pom.xml',
    install: [['mvn', '-q', '-B', '-C', 'compile']],
    start: ['java', '-cp', './target/classes:./target/dependency/*', 'Send'],
  },
  {
    name: 'aioapns',
    version: '4.0',
    lock: 'requirements.txt',
    needsNginx: true,
    install: [
      ['python3', '-m', 'venv', 'target/venv'],
      [
        'target/venv/bin/pip',
        'install',
        '-q',
        '--only-binary',
        ':all:',
        '--require-hashes',
        '-r',
        'requirements.txt',
      ],
    ],
    start: ['./target/venv/bin/python', './send.py'],
  },
  {
    name: 'a2',
    version: '0.10.0',
    lock: 'Cargo.lock',
    // Cargo checks what it fetches, then the patch is applied, which the list of its files must not forbid.
    install: [
      ['rm', '-rf', 'target/vendor'],
      ['cargo', 'vendor', '--locked', '--versioned-dirs', 'target/vendor'],
      ['patch', '-p1', '-d', A2_SOURCE, '-i', path.join('../../..', 'a2.patch')],
      ['sed', '-i', 's/"files":{[^}]*}/"files":{}/', `${A2_SOURCE}/.cargo-checksum.json`],
      [
        'cargo',
        'build',
        '--release',
        '--locked',
        '--offline',
        ...VENDORED.flatMap((text) => ['--config', text]),
      ],
    ],
    start: ['./target/release/peer'],
  },
  {
    name: 'parse-adapter',
    version: '8.5.5',
    lock: 'package-lock.json',
    install: [['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund']],
    start: [process.execPath, './send.js'],
  },
];

const INSTALL_TIMEOUT_MS = 30 * 60_000;
const run = promisify(execFile);

export function folderOf({ name }: Pick<ForeignPeer, 'name'>): string {
  return fileURLToPath(new URL(`./${name}/`, import.meta.url));
}

/** @returns the program and its arguments */
export function startOf(peer: ForeignPeer): string[] {
  return peer.start.map((word) => word.replaceAll('./', folderOf(peer)));
}

/**
 * Installs a peer where that has not been done for these files of its folder.
 * @throws with what the command said that failed
 */
export async function install(peer: ForeignPeer): Promise<void> {
  const cwd = folderOf(peer);
  const stamp = path.join(cwd, 'target', 'installed');
  const digest = await digestOf(cwd);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === digest) return;
  for (const [program = '', ...words] of peer.install) {
    await run(program, words, { cwd, timeout: INSTALL_TIMEOUT_MS });
  }
  await mkdir(path.dirname(stamp), { recursive: true });
  await writeFile(stamp, digest);
}

async function digestOf(folder: string): Promise<string> {
  const digest = createHash('sha256');
  for (const entry of (await readdir(folder, { withFileTypes: true })).sort(byName)) {
    if (entry.isFile()) digest.update(entry.name).update(await readFile(path.join(folder, entry.name)));
  }
  return digest.digest('hex');
}

function byName(left: { name: string }, right: { name: string }): number {
  return left.name < right.name ? -1 : 1;
}
