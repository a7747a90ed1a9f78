import { describe, expect, test } from 'vitest';
import { isUuid, newId } from '../src/uuid.ts';

describe('a new id', () => {
  test('is a UUID of version 7 that begins with the time in milliseconds', () => {
    const before = Date.now();
    const id = newId();
    const after = Date.now();
    expect(isUuid(id)).toBe(true);
    expect(id[14]).toBe('7');
    const milliseconds = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    expect(milliseconds).toBeGreaterThanOrEqual(before);
    expect(milliseconds).toBeLessThanOrEqual(after);
  });

  test('is never given twice', () => {
    expect(new Set(Array.from({ length: 10_000 }, newId)).size).toBe(10_000);
  });
});
