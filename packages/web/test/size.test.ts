import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const BYTES_MAX = 5_120;

test('the script for pages has at most 5 KB as it is copied, and imports nothing', () => {
  const text = readFileSync(new URL('../src/carillon-web.js', import.meta.url), 'utf8');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BYTES_MAX);
  expect(text).not.toMatch(/\bimport\b/);
});
