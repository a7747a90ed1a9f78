import { expect, test } from 'vitest';
import { checkContainerMemory } from '../../src/process/container-memory.ts';
import { collectObservations } from '../support/database.ts';

const MIB = 1024 * 1024;

test.each([
  ['all', 400 * MIB, [{ kind: 'little_memory', limit: 400 * MIB }]],
  ['all', 512 * MIB, []],
  ['all', Infinity, []],
  ['api', 256 * MIB, []],
  ['worker', 256 * MIB, []],
] as const)(
  'a container for the role %s with %i bytes gets a warning if it may be ended',
  (role, limit, warnings) => {
    const { seen, observe } = collectObservations();
    checkContainerMemory(role, observe, limit);
    expect(seen).toEqual(warnings);
  },
);
