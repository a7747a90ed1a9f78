/** The packages of the clients: each is built from a copy of its folder, installed in an empty one, and runs the program of its README. */
import { cp, glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { hasTool, packNpm, ROOT, runTool } from './run-tool.ts';

export interface Client {
  /** The name of its folder in `clients/`. */
  name: 'typescript' | 'python' | 'java' | 'go';
  /** The programs that the machine must have, in words. */
  needs: string;
  isBuildable(): boolean;
  /** @param work an empty folder @returns the name of the package in `dist` */
  build(work: string, dist: string): Promise<string>;
  /**
   * Installs a package in a folder.
   * @param folder an empty one
   * @param program the text of a program, which is added
   * @returns the command that runs the program in the folder
   */
  install(file: string, folder: string, program: string): Promise<readonly [string, ...string[]]>;
}

/** Copies the client without the files that its tools leave there. */
async function copyClient(name: Client['name'], to: string): Promise<void> {
  const tools = new Set(['.venv', 'target', 'dist', '__pycache__', '.mypy_cache', '.ruff_cache']);
  await cp(path.join(ROOT, 'clients', name), to, {
    recursive: true,
    filter: (file) => !tools.has(path.basename(file)),
  });
  await cp(path.join(ROOT, 'LICENSE'), path.join(to, 'LICENSE'));
}

const typescript: Client = {
  name: 'typescript',
  needs: 'npm',
  isBuildable: () => hasTool('npm', ['--version'], [8]),
  async build(work, dist) {
    const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
    const configuration = path.join(ROOT, 'clients/typescript/tsconfig.build.json');
    await runTool(process.execPath, [tsc, '-p', configuration, '--outDir', path.join(work, 'dist')], {
      cwd: work,
    });
    for (const name of ['clients/typescript/README.md', 'LICENSE']) {
      await cp(path.join(ROOT, name), path.join(work, path.basename(name)));
    }
    const text = await readFile(path.join(ROOT, 'clients/typescript/package.json'), 'utf8');
    const { private: _, scripts: __, ...published } = z.looseObject({}).parse(JSON.parse(text));
    await writeFile(path.join(work, 'package.json'), JSON.stringify(published, null, 2));
    return packNpm(work, dist);
  },
  async install(file, folder, program) {
    await writeFile(path.join(folder, 'first-push.mjs'), program);
    await runTool('npm', ['install', '--no-audit', '--no-fund', file], { cwd: folder });
    return [process.execPath, 'first-push.mjs'];
  },
};

const python: Client = {
  name: 'python',
  needs: 'Python 3.11 or later with pip and venv',
  isBuildable: () =>
    hasTool('python3', ['--version'], [3, 11]) && hasTool('python3', ['-m', 'pip', '--version'], [1]),
  async build(work, dist) {
    await copyClient('python', path.join(work, 'source'));
    await runTool('python3', ['-m', 'pip', 'wheel', '--no-deps', '--wheel-dir', '.', './source'], {
      cwd: work,
    });
    return copyTo(dist, await onlyFile(work, '*.whl'));
  },
  async install(file, folder, program) {
    await writeFile(path.join(folder, 'first_push.py'), program);
    await runTool('python3', ['-m', 'venv', 'installed'], { cwd: folder });
    await runTool('installed/bin/python', ['-m', 'pip', 'install', file], { cwd: folder });
    return ['installed/bin/python', 'first_push.py'];
  },
};

const java: Client = {
  name: 'java',
  needs: 'Java 17 or later, and Maven',
  isBuildable: () => hasTool('javac', ['--version'], [17]) && hasTool('mvn', ['--version'], [3]),
  async build(work, dist) {
    await copyClient('java', work);
    await runTool('mvn', ['-q', '-B', '-Dmaven.test.skip=true', 'package'], { cwd: work });
    return copyTo(dist, await onlyFile(path.join(work, 'target'), 'carillon-client-*.jar'));
  },
  async install(file, folder, program) {
    await writeFile(path.join(folder, 'FirstPush.java'), program);
    // Its dependencies, as the jar itself lists them.
    await runTool('jar', ['-xf', file, 'META-INF/maven'], { cwd: folder });
    const pom = await onlyFile(path.join(folder, 'META-INF/maven'), 'pom.xml');
    const copied = ['-DincludeScope=runtime', `-DoutputDirectory=${folder}/lib`];
    await runTool('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', ...copied], { cwd: folder });
    const classes = [folder, file, `${folder}/lib/*`].join(path.delimiter);
    await runTool('javac', ['-encoding', 'UTF-8', '-cp', classes, 'FirstPush.java'], { cwd: folder });
    return ['java', '-cp', classes, 'FirstPush'];
  },
};

const go: Client = {
  name: 'go',
  needs: 'Go 1.24 or later',
  isBuildable: () => hasTool('go', ['version'], [1, 24]),
  async build(work, dist) {
    // Go reads the version of a module from a tag, so no file of it has one.
    const { version } = packageJson;
    await copyClient('go', path.join(work, 'carillon-go'));
    const file = `carillon-go-${version}.tar.gz`;
    await runTool('tar', ['-czf', path.join(dist, file), 'carillon-go'], { cwd: work });
    return file;
  },
  async install(file, folder, program) {
    const module = 'github.com/carillon-push/carillon-go';
    await runTool('tar', ['-xzf', file], { cwd: folder });
    await writeFile(path.join(folder, 'main.go'), program);
    await writeFile(
      path.join(folder, 'go.mod'),
      `module example.com/first-push\n\ngo 1.24.0\n\nrequire ${module} v0.0.0\n\nreplace ${module} => ./carillon-go\n`,
    );
    const offline = { GOTOOLCHAIN: 'local', GOPROXY: 'off', CGO_ENABLED: '0' };
    await runTool('go', ['build', '-o', 'first-push', '.'], { cwd: folder, env: offline });
    return ['./first-push'];
  },
};

export const clients: readonly Client[] = [typescript, python, java, go];

/** @returns the path of the file in a folder whose name matches a pattern @throws {Error} if there is none, or more than one */
async function onlyFile(folder: string, pattern: string): Promise<string> {
  const files = await Array.fromAsync(glob(`**/${pattern}`, { cwd: folder }));
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw new Error(`${folder} does not have exactly one ${pattern}: ${files.join(', ')}`);
  return path.join(folder, file);
}

/** @returns the name of the file */
async function copyTo(folder: string, file: string): Promise<string> {
  await cp(file, path.join(folder, path.basename(file)));
  return path.basename(file);
}
