/** `carillon identity`: keys of user tokens and the mode, on the command line. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CommandResult } from '../support/command.ts';
import { insertApp } from '../support/database.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';
import { useCommandLine } from './command-line.ts';

const commandLine = useCommandLine();
const dir = useTemporaryDir();
const refused = (sentence: string) => ({ code: 1, stderr: `carillon: ${sentence}\n` });

test('the command line stores a key, demands proof of users, and removes the key', async () => {
  const { bundleId } = await insertApp(commandLine.database.db);
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = path.join(dir.path, 'public.pem');
  await writeFile(file, publicKey.export({ type: 'spki', format: 'pem' }));
  const run = async (name: string, ...options: string[]): Promise<CommandResult> =>
    commandLine.run('identity', name, '--app', bundleId, ...options);
  const keyId = ['--key-id', '2026-11'];
  const addKey = async (algorithm: string): Promise<CommandResult> =>
    run('add-key', ...keyId, '--algorithm', algorithm, '--key-file', file);

  expect(await run('mode', '--mode', 'required')).toMatchObject(
    refused('identity.mode needs a key: store one first'),
  );
  expect(await addKey('EdDSA')).toMatchObject(
    refused('identity_key.key must be an Ed25519 public key, as PEM or JWK'),
  );
  expect(await addKey('ES256')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('key 2026-11: ES256, stored '),
  });
  expect(await run('mode', '--mode', 'required')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${bundleId}: required\n`),
  });
  const removed = await run('remove-key', ...keyId, '--json');
  expect(JSON.parse(removed.stdout)).toEqual({
    bundle_id: bundleId,
    mode: 'required',
    keys: [],
    devices: { sampled: 0, with_user: 0, verified: 0 },
  });
  expect(await run('remove-key', ...keyId)).toMatchObject(refused('The app has no such key.'));
  expect((await run('show')).stdout).toContain('of 0 devices, 0 have a user');
});
