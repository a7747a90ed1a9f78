/**
 * Makes the folder of the server for `npm pack`. Node runs no TypeScript under `node_modules`, so types are removed and
 * imports end in `.js`; each line keeps its number. The packages of `packages/` are inside, and imported by names that
 * `imports` maps; of the console there is only the bundle.
 */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { ROOT, runTool } from './run-tool.ts';

const packageSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  type: z.literal('module'),
  bin: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});
const ownPackageSchema = packageSchema.pick({ name: true, dependencies: true }).extend({
  exports: z.union([z.string().transform((face) => ({ '.': face })), z.record(z.string(), z.string())]),
});

/** The package of which a release has what it was bundled into, and what it was bundled by. */
const CONSOLE = 'console';
const BUNDLER = 'rolldown';
/** Files that nothing loads. */
const LEFT_OUT = /(?:^|\/)(?:README\.md|tsconfig\.json|[^/]+\.d\.ts)$/;

/** Writes the package into an empty folder. @returns the text of its bill of materials, CycloneDX in JSON */
export async function stageServer(folder: string): Promise<string> {
  const names = await readdir(path.join(ROOT, 'packages'));
  const faces = names.map((name) => `packages/${name}/${name === CONSOLE ? 'dist' : 'src'}`);
  await runTool(process.execPath, ['packages/console/bundle.js'], { cwd: ROOT });
  for (const source of ['bin', 'src', ...faces]) await copyCompiled(source, folder);
  for (const name of ['migrations', 'README.md', 'LICENSE', 'package-lock.json']) {
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(await publishedPackage(names), null, 2));

  // Removes packages from the lock file that only development uses. `npm sbom --omit=dev` would also omit packages that
  // both use (npm/cli #7909). The package does not have the file: `npm pack` leaves it out.
  await runTool('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit'], {
    cwd: folder,
  });
  return runTool('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], { cwd: folder });
}

async function copyCompiled(source: string, folder: string): Promise<void> {
  const files = (await readdir(path.join(ROOT, source), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .filter((file) => !LEFT_OUT.test(file));
  for (const file of files) {
    const to = path.join(folder, file);
    await mkdir(path.dirname(to), { recursive: true });
    if (file.startsWith(`packages/${CONSOLE}`) || !/\.[jt]s$/.test(file)) {
      await cp(path.join(ROOT, file), to);
      continue;
    }
    const text = await readFile(path.join(ROOT, file), 'utf8');
    const code = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    await writeFile(to.replace(/\.ts$/, '.js'), renamed(code));
  }
}

/**
 * Matches every string that is a relative path to a module, also one that starts a thread, and every name of a package
 * of ours.
 */
function renamed(code: string): string {
  return code
    .replaceAll(/(?<=')(\.{1,2}\/[^'\n]+)\.ts(?=')/g, '$1.js')
    .replaceAll(/(?<=')@carillon\/(?=[a-z0-9./-]+')/g, '#carillon/');
}

async function publishedPackage(names: readonly string[]) {
  const { devDependencies, dependencies, optionalDependencies, ...kept } = packageSchema.parse(
    await readJson('package.json'),
  );
  const own = await Promise.all(
    names.map(async (name) => ({
      folder: `packages/${name}`,
      ...ownPackageSchema.parse(await readJson(`packages/${name}/package.json`)),
    })),
  );
  const isOwn = new Set(own.map(({ name }) => name));
  const imports = own.flatMap(({ name, folder, exports }) =>
    Object.entries(exports).map(([entry, file]) => [
      path.posix.join(name.replace('@', '#'), entry),
      `./${path.posix.join(folder, file.replace(/\.ts$/, '.js'))}`,
    ]),
  );
  return {
    ...kept,
    // The Node that runs `bin/carillon.js`; if it is too old for Carillon, that file starts the Node that npm installs
    // with Carillon.
    engines: { node: '>=20' },
    imports: Object.fromEntries(imports),
    dependencies: Object.fromEntries(
      Object.entries(Object.assign({}, ...own.map((each) => each.dependencies), dependencies)).filter(
        ([name]) => !isOwn.has(name) && name !== BUNDLER,
      ),
    ),
    optionalDependencies: { ...optionalDependencies, node: devDependencies['node'] },
  };
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(path.join(ROOT, file), 'utf8'));
}
