import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLogDestination } from '../../../src/process/log/log-destination.ts';
import { useTemporaryDir } from '../../support/temporary-dir.ts';

/** A file of Linux whose disk is always full. */
const FULL = '/dev/full';

const dir = useTemporaryDir();

describe.skipIf(!existsSync(FULL))('A log whose disk is full', () => {
  test.each([
    [3, 10],
    [3_000, 1_000],
  ])(
    'a log whose disk is full keeps %i lines of %i bytes for later, at most 1 MiB, and counts what it loses',
    async (lines, bytes) => {
      const failures: string[] = [];
      const written = Promise.withResolvers<number>();
      const full = openSync(FULL, 'w');
      const { stream, flush } = openLogDestination(full, {
        onFailed: (code) => failures.push(code),
        onWritten: written.resolve,
      });
      for (let line = 0; line < lines; line++) stream.write(`${String(line).padEnd(bytes, '.')}\n`);
      flush();
      expect(failures).toEqual(['ENOSPC']);

      const file = path.join(dir.path, `${lines}`);
      const roomy = openSync(file, 'w');
      Object.assign(stream, { fd: roomy });
      stream.write('last\n');
      const lost = await written.promise;
      const kept = readFileSync(file, 'utf8').trimEnd().split('\n');
      expect(kept.length + lost).toBe(lines + 1);
      expect(kept.slice(0, 3).map((line) => line.replaceAll('.', ''))).toEqual(['0', '1', '2']);
      expect(lost > 0).toBe(lines * bytes > 1024 * 1024);
      closeSync(full);
      closeSync(roomy);
    },
  );
});
