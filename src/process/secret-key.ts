/** The key that encrypts stored secrets: from the settings, or generated once into the data directory. */
import { createSecretKey, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { SecretKey } from '../apps/seal.ts';

const KEY_BYTES = 32;
const FILE_NAME = 'secret.key';
/** Exists while the key is being replaced. */
const PREVIOUS_FILE_NAME = 'secret.previous.key';

const HEX = /^[0-9a-f]{64}$/i;
/** 43 characters hold 256 bits. The padding is optional; base64 and base64url are both accepted. */
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/**
 * @param text 32 bytes in hex or base64
 * @param previousText the previous key, while it is being replaced
 * @throws {Error} whose message does not repeat the text
 */
export function parseSecretKey(text: string, previousText?: string): SecretKey {
  return {
    current: parseKey(text),
    previous: previousText === undefined ? undefined : parseKey(previousText),
  };
}

function parseKey(text: string): KeyObject {
  const trimmed = text.trim();
  if (HEX.test(trimmed)) return createSecretKey(trimmed, 'hex');
  if (BASE64.test(trimmed)) return createSecretKey(trimmed, 'base64');
  throw new Error(`SECRET_KEY must be ${KEY_BYTES} bytes in hex or base64 (try: openssl rand -hex 32)`);
}

/**
 * Reads the key from `<dataDir>/secret.key`, which is created (mode 0600) if missing. Processes that start at the same time
 * get the same key: the first one creates the file, and the file has its name only once it is complete.
 * @throws {Error} if the file cannot be read or written, or does not hold a key
 */
export async function loadSecretKey(dataDir: string): Promise<SecretKey> {
  const file = path.join(dataDir, FILE_NAME);
  const previousFile = path.join(dataDir, PREVIOUS_FILE_NAME);
  const previous = await readIfThere(previousFile);
  const current = (await readIfThere(file)) ?? (await generate(dataDir, file));
  return {
    current: parseFile(file, current),
    previous: previous === undefined ? undefined : parseFile(previousFile, previous),
  };
}

/**
 * Generates a new key and keeps the current one as the previous key. If an earlier replacement was interrupted, continues it
 * with the key generated then. Both files are on disk when this returns, before anything is encrypted with the new key.
 */
export async function replaceSecretKey(dataDir: string): Promise<SecretKey> {
  const { current, previous } = await loadSecretKey(dataDir);
  if (previous !== undefined && !previous.equals(current)) return { current, previous };
  const file = path.join(dataDir, FILE_NAME);
  await link(file, path.join(dataDir, PREVIOUS_FILE_NAME)).catch(unlessCode('EEXIST'));
  await syncDir(dataDir);
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeDraft(draft, newKeyText());
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  await syncDir(dataDir);
  return loadSecretKey(dataDir);
}

/** Ends a replacement, after everything was encrypted with the new key. */
export async function forgetPreviousKey(dataDir: string): Promise<void> {
  await rm(path.join(dataDir, PREVIOUS_FILE_NAME), { force: true });
}

function parseFile(file: string, text: string): KeyObject {
  try {
    return parseKey(text);
  } catch (error) {
    throw new Error(`${file} does not hold a key of ${KEY_BYTES} bytes`, { cause: error });
  }
}

async function generate(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeDraft(draft, newKeyText());
    // Unlike a rename, a link fails if the name exists. Then another process was first, and its key is used.
    await link(draft, file).catch(unlessCode('EEXIST'));
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(file, 'utf8');
}

function newKeyText(): string {
  return `${randomBytes(KEY_BYTES).toString('hex')}\n`;
}

/** Writes the file under a temporary name, and syncs it to disk. */
async function writeDraft(file: string, text: string): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new Error(`the secret key cannot be written in ${path.dirname(file)}`, { cause: error });
  }
}

/** A new name is durable only after its directory is synced. */
async function syncDir(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    unlessCode('ENOENT')(error);
    return undefined;
  }
}

/** @returns a handler that ignores errors with this code and rethrows all others */
function unlessCode(code: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error) || !('code' in error) || error.code !== code) throw error;
  };
}
