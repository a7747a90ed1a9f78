import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { lineOf } from '../devices/import/lines.ts';
import type { CommandResult } from '../support/command.ts';
import { insertApp } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';
import { useCommandLine } from './command-line.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));
const { database, environment, run } = useCommandLine();
const dir = useTemporaryDir();

let app: string;
beforeAll(async () => {
  app = (await insertApp(database.db)).bundleId;
});

async function fileOf(...lines: string[]): Promise<string> {
  const file = path.join(dir.path, `${newToken()}.ndjson`);
  await writeFile(file, lines.join('\n'));
  return file;
}

function importFile(file: string, ...options: string[]): Promise<CommandResult> {
  return run('devices', 'import', '--app', app, file, ...options);
}

test('an import prints its figures, and each invalid line on standard error', async () => {
  const file = await fileOf(lineOf({}), '{', '', lineOf({ badge: -1 }), lineOf({}));
  expect(await importFile(file)).toEqual({
    code: 0,
    stdout: '3 imported, 0 updated, 0 unchanged, 1 rejected, 1 values left out\n',
    stderr: expect.stringMatching(
      /^line 2: the line is not valid JSON: .+ was expected.* at column \d+\nline 4: left out: badge must not be negative\n$/,
    ),
  });
  expect(await importFile(file)).toMatchObject({
    code: 0,
    stdout: '0 imported, 0 updated, 3 unchanged, 1 rejected, 1 values left out\n',
  });
});

test('an import prints one JSON value with --json', async () => {
  const { code, stdout } = await importFile(await fileOf(lineOf({}), '[]'), '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    imported: 1,
    updated: 0,
    unchanged: 0,
    rejected: [{ line: 2, error: 'the device must be an object' }],
    rejected_count: 1,
  });
});

test('an import lists no more than 1,000 bad lines', async () => {
  const { stderr } = await importFile(await fileOf(lineOf({}), ...Array<string>(1_200).fill('{')));
  const lines = stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(1_001);
  expect(lines.at(-1)).toBe('and 200 more lines were rejected');
});

test('an import reads standard input for -', async () => {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [PROGRAM, 'devices', 'import', '--app', app, '-'], {
    env: { PATH, HOME, ...environment() },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'close');
  child.stdin.end(`${lineOf({})}\n${lineOf({})}`);
  expect(await text(child.stdout)).toBe('2 imported, 0 updated, 0 unchanged, 0 rejected\n');
  expect(await exited).toEqual([0, null]);
});

test('an import ends with 1 where no line could be used', async () => {
  const file = await fileOf('{', 'null');
  const exit = await importFile(file);
  expect(exit).toMatchObject({
    code: 1,
    stdout: '0 imported, 0 updated, 0 unchanged, 2 rejected\n',
  });
  expect(exit.stderr).toContain(`carillon: nothing was imported: no valid device in ${file}\n`);
  expect(await importFile(await fileOf())).toMatchObject({ code: 1 });
});

test.each([
  ['no file', () => path.join(dir.path, 'nowhere.ndjson'), 'there is no file'],
  ['a directory', () => dir.path, 'EISDIR'],
])('an import ends with 1 and one line where there is %s', async (_what, file, reason) => {
  const exit = await importFile(file());
  expect(exit).toMatchObject({ code: 1, stdout: '' });
  expect(exit.stderr).toMatch(new RegExp(`^carillon: ${reason}[^\n]*\n$`));
});

test('an import for an unknown app exits with 1', async () => {
  const words = ['devices', 'import', '--app', 'nobody', await fileOf(lineOf({}))];
  expect(await run(...words)).toMatchObject({
    code: 1,
    stderr: 'carillon: there is no app nobody; see "carillon apps list"\n',
  });
});
