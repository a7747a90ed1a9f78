/**
 * Builds the parts of a release into `dist/`, and proves each package: it is installed in an empty folder and used
 * there. The server's package runs `carillon demo`; each client's package runs the program of its README against that
 * server.
 *
 *     npm run release
 *     npm run release -- --skip java --skip go     without the packages whose tools are missing
 */
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { writeClients } from '../../clients/generator/generate.ts';
import { type Client, clients } from './clients.ts';
import { ROOT, runTool } from './run-tool.ts';
import { buildServer, type InstalledServer, proveServer } from './server.ts';

const DIST = path.join(ROOT, 'dist');

async function release(skipped: Set<string>): Promise<void> {
  const built = clients.filter(({ name }) => !skipped.delete(name));
  if (skipped.size > 0) throw new Error(`there is no ${[...skipped].join(', ')} to leave out`);
  const missing = built.filter((client) => !client.isBuildable());
  if (missing.length > 0) {
    const reasons = missing.map(({ name, needs }) => `${name} needs ${needs}`);
    throw new Error(`${reasons.join('; ')}. Install it, or leave it out: --skip ${missing[0]?.name}`);
  }
  await rm(DIST, { recursive: true, force: true });
  await mkdir(DIST);
  writeClients();
  await cp(path.join(ROOT, 'clients/openapi.json'), path.join(DIST, 'openapi.json'));
  const work = await mkdtemp(path.join(tmpdir(), 'carillon-release-'));
  await chmod(work, 0o755); // the demo's Postgres may have a user of its own
  const newFolder = async (name: string): Promise<string> => {
    const folder = path.join(work, name);
    await mkdir(folder);
    return folder;
  };
  const server = report('server', async () => {
    const file = await buildServer(await newFolder('server'), DIST);
    return { file, ...(await proveServer(path.join(DIST, file), await newFolder('server-installed'))) };
  });
  try {
    const used = built.map(async (client) =>
      report(client.name, async () => proveClient(client, server, newFolder)),
    );
    const ends = await Promise.allSettled([server, ...used]);
    const failed = ends.filter(({ status }) => status === 'rejected');
    if (failed.length > 0) throw new Error(`${failed.length} of ${ends.length} packages failed`);
  } finally {
    await server.then(
      async (running) => running.stop(),
      () => undefined,
    );
    await rm(work, { recursive: true, force: true });
  }
  await writeChecksums();
}

async function proveClient(
  client: Client,
  server: Promise<InstalledServer>,
  newFolder: (name: string) => Promise<string>,
) {
  const file = await client.build(await newFolder(client.name), DIST);
  const folder = await newFolder(`${client.name}-installed`);
  const program = await readmeProgram(client.name);
  const [command, ...words] = await client.install(path.join(DIST, file), folder, program);
  const { url, key } = await server.catch((cause: unknown) => {
    throw new Error('there is no server to use it with', { cause });
  });
  const printed = await runTool(command, words, {
    cwd: folder,
    env: { CARILLON_URL: url, CARILLON_KEY: key },
  });
  if (!/^sent 1$/m.test(printed)) throw new Error(`its first push was not sent:\n${printed}`);
  return { file };
}

/** Reads the code blocks of a language in the README of its client. */
async function readmeProgram(name: Client['name']): Promise<string> {
  const text = await readFile(path.join(ROOT, 'clients', name, 'README.md'), 'utf8');
  const info = name === 'typescript' ? 'ts' : name;
  return [...text.matchAll(new RegExp(`^\`\`\`${info}\\n([^]*?)^\`\`\`$`, 'gm'))]
    .map(([, block]) => block)
    .join('\n');
}

/** Prints a line about a package when it is proved, or the reason why it is not. */
async function report<T extends { file: string }>(name: string, prove: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  try {
    const proved = await prove();
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    say(`${name.padEnd(12)}${proved.file.padEnd(42)}installed and used, ${seconds} s`);
    return proved;
  } catch (error) {
    say(`${name.padEnd(12)}FAILED: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
}

/** Writes checksums in the form that `sha256sum --check` reads. */
async function writeChecksums(): Promise<void> {
  const lines = (await readdir(DIST)).sort().map(async (name) => {
    const sum = createHash('sha256')
      .update(await readFile(path.join(DIST, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  await writeFile(path.join(DIST, 'SHA256SUMS'), (await Promise.all(lines)).join(''));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const { values } = parseArgs({ options: { skip: { type: 'string', multiple: true, default: [] } } });
try {
  await release(new Set(values.skip));
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
