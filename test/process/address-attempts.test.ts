import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';

const before = getDefaultAutoSelectFamilyAttemptTimeout();
afterEach(() => setDefaultAutoSelectFamilyAttemptTimeout(before));

test('every command gives each address of a host a second to accept a connection', async () => {
  setDefaultAutoSelectFamilyAttemptTimeout(250);
  await runCommand(['--version'], {});
  expect(getDefaultAutoSelectFamilyAttemptTimeout()).toBe(1_000);
});

test('the bulk thread, whose sockets have a default of their own, gives each address a second too', async () => {
  const text = await readFile(new URL('../../src/bulk/thread.ts', import.meta.url), 'utf8');
  expect(text).toMatch(/^giveEachAddressTime\(\);$/m);
});
