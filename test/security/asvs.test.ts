/**
 * The requirements of the OWASP Application Security Verification Standard 5.0.0, levels 1 and 2, in asvs.tsv: each is met, or
 * the line says why not. See README.md.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../docs/markdown.ts';

/** How many requirements of level 1 or 2 each section has. Level 3 comes last in all of them. */
const SECTIONS =
  '1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 5.1:1 5.2:3 5.3:2 ' +
  '5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 ' +
  '10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 ' +
  '13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2';

const requirements = SECTIONS.split(' ').flatMap((section) => {
  const [name = '', count] = section.split(':');
  return Array.from({ length: Number(count) }, (_, index) => `V${name}.${index + 1}`);
});

const lines = readFileSync(path.join(import.meta.dirname, 'asvs.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [id = '', verdict = '', tests = '', reason = '', ...more] = line.split('\t');
    return { id, verdict, tests: tests === '' ? [] : tests.split(' | '), reason, more };
  });

test('each requirement of levels 1 and 2 has one line, in their order', () => {
  expect(requirements).toHaveLength(253);
  expect(lines.map(({ id }) => id)).toEqual(requirements);
});

test('each line has a verdict, and a test or a reason', () => {
  const wrong = lines.filter(
    ({ verdict, tests, reason, more }) =>
      more.length > 0 ||
      !['met', 'does not apply', 'operator', 'not met'].includes(verdict) ||
      (tests.length === 0 && reason === '') ||
      (verdict !== 'met' && reason === ''),
  );
  expect(wrong).toEqual([]);
});

test('each test that a line names exists, with its title', () => {
  const missing = lines.flatMap(({ id, tests }) =>
    tests.filter((named) => !isTest(named)).map((named) => `${id} ${named}`),
  );
  expect(missing).toEqual([]);
});

test('what is not met is known', () => {
  const notMet = lines.filter(({ verdict }) => verdict === 'not met');
  // oxlint-disable-next-line no-console -- so that nobody forgets them
  console.log(notMet.map(({ id, reason }) => `not met: ${id} ${reason}`).join('\n'));
  expect(notMet.length).toBeLessThanOrEqual(10);
});

/** @param named `<file>`, or `<file>: <title>`; without `packages/`, below `test/` */
function isTest(named: string): boolean {
  const [file = '', ...title] = named.split(': ');
  const at = path.join(ROOT, file.startsWith('packages/') ? file : `test/${file}`);
  return file.endsWith('.test.ts') && existsSync(at) && readFileSync(at, 'utf8').includes(title.join(': '));
}
