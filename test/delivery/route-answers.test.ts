/** When a route of an app is in trouble, by what its gateway has answered. */
import { beforeEach, expect, test } from 'vitest';
import { RouteAnswers } from '../../src/delivery/routes/route-answers.ts';
import { ACCEPTED, type Verdict } from '../../src/gateways/gateway.ts';

const failure: Verdict = { kind: 'retry', reason: 'UNAVAILABLE', afterMs: null, scope: 'device' };
const cut: Verdict = { kind: 'ambiguous', reason: 'answer_timeout' };

let nowMs: number;
let answers: RouteAnswers;

beforeEach(() => {
  nowMs = 1_000_000;
  answers = new RouteAnswers(() => nowMs);
});

function push(verdict: Verdict): void {
  answers.begun();
  answers.ended(verdict);
}

/** What is found a second later. */
function codeAfterSecond(): string | undefined {
  nowMs += 1_000;
  return answers.trouble()?.code;
}

test('a gateway that fails now and then, and answers others well, is in no trouble', () => {
  push(failure);
  push(ACCEPTED);
  expect(codeAfterSecond()).toBeUndefined();
});

test.each<[string, Verdict, string]>([
  ['errors', failure, 'gateway_errors'],
  ['a broken connection', cut, 'gateway_silent'],
  ['a used-up quota', { ...failure, reason: 'QUOTA_EXCEEDED' }, 'quota_used_up'],
  ['a refusal', { kind: 'credentials_refused', reason: 'InvalidProviderToken' }, 'credentials_refused'],
])(
  'a gateway from which nothing comes but %s is in trouble, until it accepts a push',
  (_name, verdict, code) => {
    push(verdict);
    expect(answers.trouble()).toBeUndefined();
    expect(codeAfterSecond()).toBe(code);
    push(ACCEPTED);
    expect(answers.trouble()).toBeUndefined();
  },
);

test('errors count until after the next try, even if it never comes', () => {
  push(failure);
  answers.willRetry(nowMs + 20_000);
  nowMs += 24_000;
  expect(codeAfterSecond()).toBe('gateway_errors');
  expect(codeAfterSecond()).toBeUndefined();
});

test('a push that the client itself withdrew says nothing about the gateway', () => {
  push({ ...failure, reason: 'not_wanted', unsent: true });
  expect(codeAfterSecond()).toBeUndefined();
});

test('a gateway that answers none of the pushes in flight is silent, and no longer when it answers', () => {
  for (const _ of [1, 2, 3]) answers.begun();
  expect([codeAfterSecond(), codeAfterSecond(), codeAfterSecond()]).toEqual([
    undefined,
    undefined,
    'gateway_silent',
  ]);
  expect(answers.trouble()).toMatchObject({ reason: null, sinceMs: 1_001_000 });
  push(ACCEPTED);
  expect(codeAfterSecond()).toBeUndefined();
});

test('pushes that were lost in a silence do not count after it, in flight or as they end', () => {
  for (const _ of [1, 2, 3]) answers.begun();
  for (const _ of [1, 2, 3]) codeAfterSecond();
  push(ACCEPTED);
  expect([codeAfterSecond(), codeAfterSecond(), codeAfterSecond(), codeAfterSecond()]).toEqual(
    Array(4).fill(undefined),
  );
  for (const _ of [1, 2, 3]) answers.ended(cut);
  expect(codeAfterSecond()).toBeUndefined();
  push(cut);
  expect(codeAfterSecond()).toBe('gateway_silent');
});

test('a gateway that answers slowly, and goes on answering, is not silent', () => {
  answers.begun();
  for (const _ of [1, 2, 3, 4, 5]) {
    answers.begun();
    answers.ended(ACCEPTED);
    expect(codeAfterSecond()).toBeUndefined();
  }
});
