/** The example of the README runs as it is printed. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const FACE = new URL('../src/index.ts', import.meta.url);

test('the example of the README starts a simulator, writes its credentials and ends', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const dir = await mkdtemp(path.join(tmpdir(), 'simulator-readme-'));
  onTestFinished(async () => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'example.mts');
  await writeFile(file, example.replace('@carillon/simulator', FACE.href));

  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: dir });
  expect(stdout).toMatch(
    /^simulated\/ca\.pem https:\/\/127\.0\.0\.1:\d+ https:\/\/127\.0\.0\.1:\d+\n\[\] \{/,
  );
  expect(await readdir(path.join(dir, 'simulated'))).toEqual(
    expect.arrayContaining(['ca.pem', 'service-account.json']),
  );
});
