/**
 * Makes the folder of the server for `npm pack`: a bundle of the server and of the packages that it imports. What npm installs with it
 * is optional: the embedded Postgres, and a Node for where the machine's is too old.
 */
import { cp, glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { bundleServer } from './bundle-server.ts';
import { ROOT, runTool } from './run-tool.ts';

const versions = z.record(z.string(), z.string()).default({});
const packageSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  type: z.literal('module'),
  bin: versions,
  dependencies: versions,
  optionalDependencies: versions,
  devDependencies: versions,
});

/** What bundles the console. */
const BUNDLER = 'rolldown';

/** Writes the package into an empty folder. @returns the text of its bill of materials, CycloneDX in JSON */
export async function stageServer(folder: string): Promise<string> {
  await runTool(process.execPath, ['packages/console/bundle.js'], { cwd: ROOT });
  await bundleServer(path.join(folder, 'dist'));
  for (const name of ['bin', 'README.md', 'LICENSE', 'package-lock.json']) {
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  const { devDependencies, dependencies, optionalDependencies, ...kept } = packageSchema.parse(
    await readJson('package.json'),
  );
  const published = {
    ...kept,
    // The Node that runs `bin/carillon.js`; if it is too old for Carillon, that file starts the Node that npm installs
    // with Carillon.
    engines: { node: '>=20' },
    optionalDependencies: { ...optionalDependencies, node: devDependencies['node'] },
  };
  const write = async (content: object): Promise<void> =>
    writeFile(path.join(folder, 'package.json'), JSON.stringify(content, null, 2));
  await write({ ...published, dependencies: await bundledPackages(dependencies) });
  const bill = await billOf(folder);
  await write(published);
  return bill;
}

/** @returns those of the server and of `packages/`, without our own */
async function bundledPackages(ofServer: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const all = { ...ofServer };
  for await (const file of glob('packages/*/package.json', { cwd: ROOT })) {
    const { name, dependencies } = packageSchema
      .pick({ name: true, dependencies: true })
      .parse(await readJson(file));
    Object.assign(all, dependencies);
    delete all[name];
  }
  delete all[BUNDLER];
  return all;
}

async function billOf(folder: string): Promise<string> {
  // Removes packages from the lock file that only development uses. `npm sbom --omit=dev` would also omit packages that
  // both use (npm/cli #7909). The package does not have the file: `npm pack` leaves it out.
  await runTool('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit'], {
    cwd: folder,
  });
  return runTool('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], { cwd: folder });
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(path.join(ROOT, file), 'utf8'));
}
