/** The Java client as Maven builds it: its own tests, its README and its examples run against a server. */
import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../../docs/markdown.ts';
import { useTemporaryDir } from '../../support/temporary-dir.ts';
import { type Program, readmeProgram, run, testJourneys } from './journeys.ts';

const CLIENT = path.join(ROOT, 'clients/java');
/** Of a build that has to download its plugins first, on two busy cores. */
const BUILD_MS_MAX = 240_000;
const CLASSES = [path.join(CLIENT, 'target/classes'), path.join(CLIENT, 'target/lib/*')];
const JAVA_MIN = 17;

const hasTools = spawnSync('mvn', ['--version']).status === 0 && javaVersion() >= JAVA_MIN;
if (!hasTools) skipped(`Java ${JAVA_MIN} or later, and Maven`);

describe.skipIf(!hasTools)('The Java client', () => {
  const directory = useTemporaryDir();
  let isBuilt = false;

  beforeAll(async () => {
    isBuilt = await build();
    if (!isBuilt) return;
    const source = path.join(directory.path, 'FirstPush.java');
    await writeFile(source, readmeProgram('java', 'java'));
    const examples = (await readdir(path.join(CLIENT, 'examples'))).map((name) =>
      path.join(CLIENT, 'examples', name),
    );
    const classes = ['-d', directory.path, '-cp', CLASSES.join(':')];
    await run('javac', ['-encoding', 'UTF-8', '-Werror', '-Xlint:all', ...classes, source, ...examples]);
  }, BUILD_MS_MAX);
  beforeEach(({ skip }) => skip(!isBuilt));

  test('the Java client is built and tested by Maven', async () => {
    const reports = await readdir(path.join(CLIENT, 'target/surefire-reports'));
    expect(reports.filter((name) => name.endsWith('.xml')).length).toBeGreaterThan(1);
  });

  const java = (name: string): Program => ({
    words: ['java', '-cp', [directory.path, ...CLASSES].join(':'), name],
  });
  testJourneys('Java', { readme: () => java('FirstPush'), examples: () => java('Api') }, 'notification');
});

/** Compiles and tests. @returns false if there is no network and Maven lacks something */
async function build(): Promise<boolean> {
  try {
    await run('mvn', ['-q', '-B', 'test'], { cwd: CLIENT, maxBuffer: 2 ** 26 });
    return true;
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    if (!/could not be resolved|Could not transfer/i.test(output)) throw new Error(output, { cause: error });
    skipped('Maven Central, or what it had downloaded from there');
    return false;
  }
}

function javaVersion(): number {
  const { stdout } = spawnSync('javac', ['--version'], { encoding: 'utf8' });
  return Number(/^javac (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

function skipped(need: string): void {
  // oxlint-disable-next-line no-console -- a skipped test says why
  console.log(`skipped: the Java client needs ${need}`);
}
