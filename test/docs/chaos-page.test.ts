import { expect, test } from 'vitest';
import { tablesOf } from '../chaos/page.ts';
import type { Result } from '../chaos/record.ts';
import { readPage, tableAfter } from './markdown.ts';

const axes = {
  faults: ['away', 'locked', 'full'].map((name) => ({ where: 'Postgres', name })),
  loads: [{ name: 'pushes' }, { name: 'an import' }],
};
const green: Result = {
  where: 'Postgres',
  fault: 'away',
  load: 'pushes',
  at: '2026-11-28T19:00:00.000Z',
  machine: '2 cores',
  total: 1_000,
  lost: 0,
  shown_twice: 0,
  repeated: 12,
  doubtful: 3,
  seconds: 4.4,
  said: ['database_away', '503', 'no answer'],
};
const red: Result = {
  ...green,
  load: 'an import',
  failed: 'no answer',
  lost: -1,
  repeated: -1,
  doubtful: -1,
};
const results = [green, red, { ...green, fault: 'locked', repeated: 0, doubtful: 0, said: [] }];

test('docs/chaos.md gets the same tables for the same results, and names what is missing', () => {
  const tables = tablesOf('abc', results, axes);
  expect(tablesOf('abc', results.toReversed(), axes)).toBe(tables);
  const page = { file: 'docs/chaos.md', text: tables };
  expect(tables).toContain('Commit `abc`, 2026-11-28, 2 cores.');
  expect(tables).toContain('Not on record: Postgres: full.');
  expect(tableAfter(page, 'Commit')).toEqual([['6', '3', '1', '3,000', '0', '0', '12', '3']]);
  expect(tableAfter(page, 'Not on record')).toEqual([
    ['Postgres: away', '4 (12) ?3', '✗'],
    ['Postgres: locked', '4', ''],
  ]);
  expect(tables).toContain('| Postgres: away | `503`, `database_away`, no answer |');
});

test('docs/chaos.md has the place that its tables are written to', () => {
  expect(readPage('docs/chaos.md').text).toMatch(/<!-- results -->\n[^]*<!-- end of results -->/);
});
