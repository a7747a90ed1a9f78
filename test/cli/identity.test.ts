/** `carillon identity`: keys of user tokens and the mode, on the command line. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { useCarillon } from '../support/processes.ts';

const carillon = useCarillon();
const app = ['--app', 'com.example.app'];
let dir: string;

const run = async (...words: string[]) => runCommand(words, { DATA_DIR: path.join(dir, 'data') });

beforeAll(async () => {
  dir = await carillon.makeDir();
  const created = await run('apps', 'create', '--bundle-id', 'com.example.app', '--name', 'My app');
  expect(created.code).toBe(0);
});

test('the command line stores a key, demands proof of users, and removes the key', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = path.join(dir, 'public.pem');
  await writeFile(file, publicKey.export({ type: 'spki', format: 'pem' }));
  const keyId = ['--key-id', '2026-11'];
  const mode = ['identity', 'mode', ...app, '--mode', 'required'];

  const early = await run(...mode);
  expect(early).toMatchObject({ code: 1, stderr: 'carillon: identity.mode needs a key: store one first\n' });
  const wrong = await run(
    'identity',
    'add-key',
    ...app,
    ...keyId,
    '--algorithm',
    'EdDSA',
    '--key-file',
    file,
  );
  expect(wrong).toMatchObject({
    code: 1,
    stderr: 'carillon: identity_key.key must be an Ed25519 public key, as PEM or JWK\n',
  });
  const added = await run(
    'identity',
    'add-key',
    ...app,
    ...keyId,
    '--algorithm',
    'ES256',
    '--key-file',
    file,
  );
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('key 2026-11: ES256, stored ') });
  expect(await run(...mode)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('com.example.app: required\n'),
  });
  const removed = await run('identity', 'remove-key', ...app, ...keyId, '--json');
  expect(JSON.parse(removed.stdout)).toEqual({
    bundle_id: 'com.example.app',
    mode: 'required',
    keys: [],
    devices: { sampled: 0, with_user: 0, verified: 0 },
  });
  expect((await run('identity', 'remove-key', ...app, ...keyId)).stderr).toBe(
    'carillon: The app has no such key.\n',
  );
  expect((await run('identity', 'show', ...app)).stdout).toContain('of 0 devices, 0 have a user');
});
