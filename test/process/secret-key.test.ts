import { copyFile, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  forgetPreviousKey,
  loadSecretKey,
  parseSecretKey,
  replaceSecretKey,
} from '../../src/process/secret-key.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';

const parent = useTemporaryDir();
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(parent.path, 'secret-'));
});

const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7));

test.each([
  bytes.toString('hex'),
  bytes.toString('hex').toUpperCase(),
  bytes.toString('base64'),
  bytes.toString('base64').replace('=', ''),
  bytes.toString('base64url'),
  ` ${bytes.toString('hex')}\n`,
])('a key of 32 bytes is read from %j', (text) => {
  expect(parseSecretKey(text).current.export().equals(bytes)).toBe(true);
});

test.each([
  '',
  'password',
  'ab'.repeat(31),
  'ab'.repeat(33),
  bytes.toString('base64').slice(2),
  'g'.repeat(64),
])('the key %j is refused without being repeated', (text) => {
  expect(() => parseSecretKey(text)).toThrow(
    /^SECRET_KEY must be 32 bytes in hex or base64 \(try: openssl rand -hex 32\)$/,
  );
});

test('one key is made, however many processes start at once, and it is kept', async () => {
  const dataDir = path.join(dir, 'not', 'there', 'yet');
  const keys = await Promise.all(Array.from({ length: 20 }, () => loadSecretKey(dataDir)));
  const again = await loadSecretKey(dataDir);
  for (const key of keys) expect(key.current.equals(again.current)).toBe(true);
  expect(await readdir(dataDir)).toEqual(['secret.key']);
});

test('nobody else may read the file of the key', async () => {
  await loadSecretKey(dir);
  expect((await stat(path.join(dir, 'secret.key'))).mode & 0o777).toBe(0o600);
});

test('a file of the key that holds something else is refused, and stays as it is', async () => {
  const file = path.join(dir, 'secret.key');
  await writeFile(file, 'half a ke');
  await expect(loadSecretKey(dir)).rejects.toThrow(`${file} does not hold a key of 32 bytes`);
  expect(await readFile(file, 'utf8')).toBe('half a ke');
});

test('no key is made where the directory cannot be made', async () => {
  await writeFile(path.join(dir, 'file'), '');
  await expect(loadSecretKey(path.join(dir, 'file', 'data'))).rejects.toThrow(/ENOTDIR/);
});

test('a replacement makes another key, and keeps the previous one until it is forgotten', async () => {
  const { current: before } = await loadSecretKey(dir);
  const { current, previous } = await replaceSecretKey(dir);
  expect(current.equals(before)).toBe(false);
  expect(previous?.equals(before)).toBe(true);
  expect((await loadSecretKey(dir)).previous?.equals(before)).toBe(true);
  for (const name of await readdir(dir)) {
    expect((await stat(path.join(dir, name))).mode & 0o777, name).toBe(0o600);
  }

  await forgetPreviousKey(dir);
  const after = await loadSecretKey(dir);
  expect(after.previous).toBeUndefined();
  expect(after.current.equals(current)).toBe(true);
  expect(await readdir(dir)).toEqual(['secret.key']);
});

test('a replacement that was cut off goes on with the new key if it is there, else with one of its own', async () => {
  const { current: before } = await loadSecretKey(dir);
  await copyFile(path.join(dir, 'secret.key'), path.join(dir, 'secret.previous.key'));
  const first = await replaceSecretKey(dir);
  expect(first.current.equals(before)).toBe(false);
  const second = await replaceSecretKey(dir);
  expect(second.current.equals(first.current)).toBe(true);
  expect(second.previous?.equals(before)).toBe(true);
});
