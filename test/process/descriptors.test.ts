import { expect, test } from 'vitest';
import { observeNothing } from '../../src/observe.ts';
import { connectionsMaxOf, readConnectionsMax, readDescriptorLimit } from '../../src/process/descriptors.ts';
import { collectObservations } from '../support/database.ts';

test.each([
  [96, 'all', 48],
  [512, 'all', 256],
  [512, 'api', 256],
  [1_024, 'all', 512],
  [1_024, 'api', 768],
  [4_096, 'worker', 3_072],
  [4_096, 'api', 3_840],
] as const)(
  'of %i open files, a process with role %s uses %i for connections',
  (limit, role, connections) => {
    expect(connectionsMaxOf(limit, role)).toBe(connections);
  },
);

test('memory limits the connections where open files have no limit', () => {
  const max = connectionsMaxOf(Infinity, 'all');
  expect(max).toBeGreaterThan(1_000);
  expect(max).toBeLessThan(1_000_000);
});

test('the limit of this process is read, and a low one is reported', () => {
  const limit = readDescriptorLimit();
  expect(limit).toBeGreaterThan(0);
  const { observe, seen } = collectObservations();
  expect(readConnectionsMax('api', observe, 512)).toBe(256);
  expect(seen).toEqual([{ kind: 'few_descriptors', limit: 512, connectionsMax: 256 }]);
  expect(readConnectionsMax('api', observeNothing)).toBe(connectionsMaxOf(limit, 'api'));
});
