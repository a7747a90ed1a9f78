/**
 * Builds the image without a container engine: follows the Dockerfile step by step in a directory, with the
 * directory of each stage in place of its root. Of the base images there is only Node, the one that runs the
 * tests; whatever else a step needs and has not copied is missing here as it would be there.
 */
import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ROOT } from '../docs/markdown.ts';
import { readBuildContext, type Stage, type Step } from './dockerfile.ts';

export interface Image {
  /** The directory that stands for `/`. */
  root: string;
  workdir: string;
  environment: Readonly<Record<string, string>>;
  /** The user and the group, as numbers. */
  user: { uid: number; gid: number };
  entrypoint: readonly string[];
  command: readonly string[];
  healthcheck: readonly string[];
  stopSignal: 'SIGTERM' | 'SIGINT';
}

const run = promisify(execFile);
const NODE = '/usr/local/bin/node';
const STEP_MS_MAX = 100_000;

/** Builds all stages in `directory`. @returns the last one, its files read-only */
export async function buildImage(stages: readonly Stage[], directory: string): Promise<Image> {
  const roots = new Map<string, string>();
  let image: Image | undefined;
  for (const [index, stage] of stages.entries()) {
    const root = path.join(directory, String(index));
    if (stage.image.startsWith('node:')) await putNode(root);
    image = {
      root,
      workdir: '/',
      environment: {},
      user: { uid: 0, gid: 0 },
      entrypoint: [],
      command: [],
      healthcheck: [],
      stopSignal: 'SIGTERM',
    };
    for (const step of stage.steps) image = await follow(step, image, roots);
    if (stage.name !== undefined) roots.set(stage.name, root);
  }
  if (image === undefined) throw new Error('the Dockerfile has no stage');
  await run('chmod', ['-R', 'a-w,a+rX', image.root]);
  return image;
}

async function putNode(root: string): Promise<void> {
  await mkdir(path.join(root, path.dirname(NODE)), { recursive: true });
  await symlink(process.execPath, path.join(root, NODE));
}

async function follow(step: Step, image: Image, roots: ReadonlyMap<string, string>): Promise<Image> {
  const { keyword, words, text } = step;
  switch (keyword) {
    case 'WORKDIR':
      await mkdir(path.join(image.root, text), { recursive: true });
      return { ...image, workdir: text };
    case 'COPY':
      await copy(step, image, roots);
      return image;
    case 'RUN':
      await runStep(text, image);
      return image;
    case 'ENV':
      return { ...image, environment: { ...image.environment, ...pairsOf(words) } };
    case 'USER':
      return { ...image, user: userOf(text) };
    case 'ENTRYPOINT':
      return { ...image, entrypoint: words };
    case 'CMD':
      return { ...image, command: words };
    case 'HEALTHCHECK':
      return { ...image, healthcheck: healthcheckOf(text) };
    case 'STOPSIGNAL':
      return { ...image, stopSignal: z.enum(['SIGTERM', 'SIGINT']).parse(text) };
    case 'EXPOSE':
      return image;
    default:
      throw new Error(`line ${step.line} of the Dockerfile: ${keyword} is not followed by this test`);
  }
}

async function copy({ flags, words, line }: Step, image: Image, roots: ReadonlyMap<string, string>) {
  const sources = words.slice(0, -1);
  const target = path.join(image.root, path.resolve(image.workdir, words.at(-1) ?? ''));
  const from = flags['from'] === undefined ? ROOT : roots.get(flags['from']);
  if (from === undefined) throw new Error(`line ${line} of the Dockerfile copies from no stage`);
  const { seen, hidden } = readBuildContext();
  for (const source of sources) {
    if (from === ROOT && !seen.includes(path.normalize(source))) {
      throw new Error(`line ${line} of the Dockerfile: .dockerignore hides ${source}`);
    }
    const file = path.join(from, source);
    if ((await stat(file)).isDirectory()) {
      const isSeen = (copied: string): boolean =>
        from !== ROOT || !hidden.some((hides) => path.matchesGlob(path.relative(ROOT, copied), hides));
      await cp(file, target, { recursive: true, verbatimSymlinks: true, filter: isSeen });
    } else {
      const copied = words.at(-1)?.endsWith('/') === true ? path.join(target, path.basename(source)) : target;
      await mkdir(path.dirname(copied), { recursive: true });
      await copyFile(file, copied);
      await chmod(copied, (await stat(file)).mode);
    }
  }
}

/** With the packages that npm has already, where it has them. */
async function runStep(command: string, { root, workdir, environment }: Image): Promise<void> {
  await run('sh', ['-c', command], {
    cwd: path.join(root, workdir),
    env: {
      ...process.env,
      ...environment,
      PATH: `${path.join(root, path.dirname(NODE))}:${process.env['PATH']}`,
      npm_config_prefer_offline: 'true',
    },
    timeout: STEP_MS_MAX,
  });
}

function pairsOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [name = '', ...value] = word.split('=');
      return [name, value.join('=')];
    }),
  );
}

function userOf(text: string): Image['user'] {
  const [uid = NaN, gid = NaN] = text.split(':').map(Number);
  return z.object({ uid: z.int(), gid: z.int() }).parse({ uid, gid });
}

function healthcheckOf(text: string): string[] {
  return z.array(z.string()).parse(JSON.parse(text.replace(/^CMD\s+/, '')));
}
