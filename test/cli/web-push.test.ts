/** `carillon credentials web-push`: the key with which browsers subscribe, on the command line. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { makeVapidKey } from '../../src/gateways/web-push/vapid-key.ts';
import { runCommand } from '../support/command.ts';
import { useCarillon } from '../support/processes.ts';

const carillon = useCarillon();
const subject = ['--subject', 'mailto:push@example.com'];
const exported = z.strictObject({ public_key: z.string(), private_key: z.string() });
let dir: string;

const run = async (...words: string[]) =>
  runCommand(['credentials', 'web-push', '--app', 'com.example.app', '--json', ...words], {
    DATA_DIR: path.join(dir, 'data'),
  });

beforeAll(async () => {
  dir = await carillon.makeDir();
  const words = ['apps', 'create', '--bundle-id', 'com.example.app', '--name', 'My app'];
  expect((await runCommand(words, { DATA_DIR: path.join(dir, 'data') })).code).toBe(0);
});

test('the command line makes a key once, exports it, and replaces it only on demand', async () => {
  expect(await run('--export')).toMatchObject({
    code: 1,
    stderr: 'carillon: com.example.app has no VAPID key\n',
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
  const file = path.join(dir, 'vapid.key');
  await writeFile(file, `${other.privateKey}\n`);
  const refused = await run(...subject, '--private-key-file', file);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('all browsers are bound') });
  expect(refused.stderr).not.toContain(other.privateKey);
  const replaced = await run(...subject, '--private-key-file', file, '--replace');
  expect(JSON.parse(replaced.stdout)).toMatchObject({ public_key: other.publicKey });
  expect(exported.parse(JSON.parse((await run('--export')).stdout)).private_key).toBe(other.privateKey);
});
