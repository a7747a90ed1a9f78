import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { asAccount } from '../../src/db/postgres-program.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';

const run = promisify(execFile);
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stderr.write('skipped: another user can be run as by root alone\n');

describe.skipIf(!isRoot)('as root, a program runs as the account', () => {
  const dir = useTemporaryDir();
  let program: string;

  beforeAll(async () => {
    program = path.join(dir.path, 'program');
    await writeFile(program, '#!/bin/sh\nid -u\ntest -x "$0" && echo executable\n', { mode: 0o755 });
  });

  test.each([
    ['an open', 0o755],
    ['a closed', 0o700],
  ])(
    'a program runs as the account in %s directory, and finds itself executable as initdb must',
    async (_which, mode) => {
      await chmod(dir.path, mode);
      const [file = '', ...parameters] = await asAccount(NOBODY, program, path.join(dir.path, 'data'));
      const { stdout } = await run(file, parameters);
      expect(stdout).toBe(`${NOBODY.uid}\nexecutable\n`);
    },
  );
});
