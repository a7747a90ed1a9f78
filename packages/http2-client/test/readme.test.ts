/** The example of the README runs as it is printed. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { portOf, respond } from './peer.ts';

const FACE = new URL('../src/index.ts', import.meta.url);

test('the example of the README prints a line for each of its requests', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const dir = await mkdtemp(path.join(tmpdir(), 'http2-readme-'));
  onTestFinished(async () => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'example.mts');
  await writeFile(file, example.replace('@carillon/http2-client', FACE.href));

  const server = createServer().on('stream', (stream, headers) => {
    respond(stream, headers['x-number'] === '7' ? 404 : 200);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  const origin = `http://127.0.0.1:${portOf(server)}`;
  const { stdout } = await promisify(execFile)(process.execPath, [file, origin], { timeout: 20_000 });
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(1_000);
  expect(new Set(lines).size).toBe(1_000);
  expect(lines.filter((line) => !line.endsWith(' 200'))).toEqual(['7 404']);
});
