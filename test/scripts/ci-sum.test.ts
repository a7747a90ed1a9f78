import { describe, expect, it } from 'vitest';
import { type Report, type Result, resultOf, sumOf } from '../../scripts/ci-sum.ts';

const FILE = '/repo/test/a.test.ts';

function report(tests: Record<string, 'passed' | 'failed'>, fileStatus?: string): Report {
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({
    fullName,
    status,
    failureMessages: [`${fullName} broke`],
  }));
  const passed = assertionResults.filter(({ status }) => status === 'passed').length;
  const status = fileStatus ?? (passed === assertionResults.length ? 'passed' : 'failed');
  return {
    numPassedTests: passed,
    numPendingTests: 1,
    numTodoTests: 0,
    testResults: [{ name: FILE, status, message: 'could not be loaded', assertionResults }],
  };
}

function sum(
  first: Result,
  second: Result | undefined,
): { said: readonly string[]; counts: number[]; reran: (readonly string[])[] } {
  const reran: (readonly string[])[] = [];
  const { passed, failed, skipped, lines } = sumOf(first, second !== undefined, (files) => {
    reran.push(files);
    return second ?? first;
  });
  return { said: lines.map((line) => line.split('\n')[0] ?? ''), counts: [passed, failed, skipped], reran };
}

describe('The sum of CI', () => {
  it('the sum of CI counts a test that passes alone as flaky, and goes on', () => {
    const first = resultOf(report({ one: 'passed', two: 'failed' }), 1);
    const { said, counts, reran } = sum(first, resultOf(report({ one: 'passed', two: 'passed' }), 0));
    expect(said).toEqual(['FLAKY two']);
    expect(counts).toEqual([2, 0, 1]);
    expect(reran).toEqual([[FILE]]);
  });

  it('the sum of CI counts a test that fails twice as failed, and says why', () => {
    const first = resultOf(report({ one: 'failed', two: 'failed' }), 1);
    const { said, counts } = sum(first, resultOf(report({ one: 'passed', two: 'failed' }), 1));
    expect(said).toEqual(['FAILED two', 'FLAKY one']);
    expect(counts).toEqual([1, 1, 1]);
  });

  it('the sum of CI runs a file again that failed outside of its tests', () => {
    const first = resultOf(report({}, 'failed'), 1);
    expect(sum(first, resultOf(report({ one: 'passed' }), 0)).said).toEqual([`FLAKY ${FILE}`]);
    expect(sum(first, first).said).toEqual([`FAILED ${FILE}`]);
  });

  it('the sum of CI counts a file as failed that cannot be loaded the second time', () => {
    const first = resultOf(report({ one: 'failed' }), 1);
    expect(sum(first, resultOf(report({}, 'failed'), 1)).counts).toEqual([0, 1, 1]);
  });

  it('the sum of CI repeats all after an error outside of all tests, such as the death of a worker', () => {
    const first = resultOf(report({ one: 'passed' }), 1);
    const { said, counts, reran } = sum(first, resultOf(report({ one: 'passed' }), 0));
    expect(said).toEqual(['FLAKY an error outside of all tests']);
    expect(counts[1]).toBe(0);
    expect(reran).toEqual([[]]);
    expect(sum(first, first).counts[1]).toBe(1);
  });

  it('the sum of CI repeats nothing where a check before the tests failed, and fails', () => {
    const { counts, reran } = sum(resultOf(undefined, 2), undefined);
    expect(counts).toEqual([0, 1, 0]);
    expect(reran).toEqual([]);
  });

  it('the sum of CI runs nothing again that passed', () => {
    const { counts, reran, said } = sum(resultOf(report({ one: 'passed' }), 0), resultOf(report({}), 0));
    expect([counts, reran, said]).toEqual([[1, 0, 1], [], []]);
  });
});
