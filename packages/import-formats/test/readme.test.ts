/** The example of the README runs as it is printed. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { csvOf, row } from './exports.ts';

const FACE = new URL('../src/index.ts', import.meta.url);

test('the example of the README prints the devices of an export, and what is not in them', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const dir = await mkdtemp(path.join(tmpdir(), 'import-formats-readme-'));
  onTestFinished(async () => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'example.mts');
  await writeFile(file, example.replace('@carillon/import-formats', FACE.href));

  const running = promisify(execFile)(process.execPath, [file]);
  running.child.stdin?.end(csvOf(row, { ...row, device_type: '11' }));
  const [device = '', ...report] = (await running).stdout.split('\n');
  expect(device).toMatch(/^2 \{"platform":"iOS",/);
  expect(report.join('\n')).toMatch(/^2 \[.*e-mail.*session_count/s);
});
