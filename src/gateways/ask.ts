import type { Answer } from './answer.ts';
import type { Verdict } from './gateway.ts';

type Answered = Extract<Answer, { kind: 'answered' }>;

/**
 * Sends one push, and once more where the answer is ambiguous: the repeat carries the same identifiers, so a
 * device that has the push already shows it once. The second answer counts, because sending is at-least-once.
 */
export async function askAgainIfAmbiguous(request: () => Promise<Answer>): Promise<Answer> {
  const answer = await request();
  return answer.kind === 'ambiguous' ? request() : answer;
}

/** @param judge what the gateway's own words mean */
export function verdictOf(answer: Answer, judge: (answered: Answered) => Verdict): Verdict {
  if (answer.kind === 'answered') return judge(answer);
  if (answer.kind === 'ambiguous') return { kind: 'ambiguous', reason: answer.reason };
  return { kind: 'retry', reason: answer.reason, afterMs: null, scope: 'device' };
}
