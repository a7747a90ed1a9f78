/** `carillon credentials web-push`: the key with which browsers subscribe, on the command line. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { makeVapidKey } from '../../src/gateways/web-push/vapid-key.ts';
import type { CommandResult } from '../support/command.ts';
import { insertApp } from '../support/database.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';
import { useCommandLine } from './command-line.ts';

const commandLine = useCommandLine();
const { database } = commandLine;
const dir = useTemporaryDir();
const subject = ['--subject', 'mailto:push@example.com'];
const exported = z.strictObject({ public_key: z.string(), private_key: z.string() });

test('the command line makes a key once, exports it, and replaces it only on demand', async () => {
  const { id, bundleId } = await insertApp(database.db);
  const run = async (...words: string[]): Promise<CommandResult> =>
    commandLine.run('credentials', 'web-push', '--app', bundleId, '--json', ...words);
  expect(await run('--export')).toMatchObject({
    code: 1,
    stderr: `carillon: ${bundleId} has no VAPID key\n`,
  });
  expect(await run()).toMatchObject({ code: 1, stderr: 'carillon: give --subject, or --export\n' });
  expect(await run('--subject', 'push@example.com')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The subject must be mailto:'),
  });
  const made = z.object({ public_key: z.string() }).parse(JSON.parse((await run(...subject)).stdout));
  const again = await run('--subject', 'https://example.com/contact');
  expect(JSON.parse(again.stdout)).toMatchObject(made);
  const { stdout, stderr } = await run('--export');
  const key = exported.parse(JSON.parse(stdout));
  expect(key).toMatchObject(made);
  expect(stderr).toContain('keep it as a password');

  const other = makeVapidKey();
  const file = path.join(dir.path, 'vapid.key');
  await writeFile(file, `${other.privateKey}\n`);
  const refused = await run(...subject, '--private-key-file', file);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('all browsers are bound') });
  expect(refused.stderr).not.toContain(other.privateKey);
  const replaced = await run(...subject, '--private-key-file', file, '--replace');
  expect(JSON.parse(replaced.stdout)).toMatchObject({ public_key: other.publicKey });
  expect(exported.parse(JSON.parse((await run('--export')).stdout)).private_key).toBe(other.privateKey);

  const exports = database.db
    .selectFrom('audit_log')
    .select(['by_kind', 'object_id', 'after'])
    .where('app_id', '=', id)
    .where('action', '=', 'credentials.exported');
  expect(await exports.execute()).toEqual(
    Array.from({ length: 2 }, () => ({ by_kind: 'command_line', object_id: 'web_push', after: null })),
  );
});
