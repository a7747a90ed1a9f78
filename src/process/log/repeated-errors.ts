/**
 * Limits the log of errors that repeat, such as those of a job that runs every second. The first is logged at once,
 * repeats within a minute only at `debug`, and the first one after that minute says how many repeats there were.
 */
import type { Clock } from '../../clock.ts';
import type { Observation, Observe } from '../../observe.ts';

const EVERY_MS = 60_000;
/** How many different errors are distinguished; further ones count as one. */
const KNOWN_MAX = 100;

/** Ids and numbers, which may differ between repeats of an error. */
const VARIABLE = /[0-9a-f]{8}-[0-9a-f-]{27}|\d+/gi;

/** @param options.observe gets every observation, some of them marked as repeats */
export function boundRepeats({ observe, clock }: { observe: Observe; clock: Clock }): Observe {
  const known = new Map<string, { loggedAtMs: number; repeats: number }>();

  return (observation) => {
    if (!isRepeatable(observation)) {
      observe(observation);
      return;
    }
    const text = nameOf(observation);
    const nowMs = clock().getTime();
    const isRecent = ({ loggedAtMs }: { loggedAtMs: number }): boolean =>
      Math.abs(nowMs - loggedAtMs) < EVERY_MS;
    if (known.size >= KNOWN_MAX && !known.has(text)) {
      for (const [name, error] of known) if (!isRecent(error)) known.delete(name);
    }
    const name = known.size < KNOWN_MAX || known.has(text) ? text : '';
    const error = known.get(name);
    if (error !== undefined && isRecent(error)) {
      error.repeats += 1;
      observe({ ...observation, isRepeat: true });
      return;
    }
    const repeats = error?.repeats ?? 0;
    known.set(name, { loggedAtMs: nowMs, repeats: 0 });
    observe(repeats === 0 ? observation : { ...observation, repeats });
  };
}

type Repeatable = Extract<Observation, { kind: 'queue_error' | 'database_error' | 'job_failed' }>;

/** Whether the error may repeat. A part of an outage does not count: the outage is logged as a whole. */
function isRepeatable(observation: Observation): observation is Repeatable {
  if (observation.kind === 'queue_error') return true;
  if (observation.kind !== 'database_error' && observation.kind !== 'job_failed') return false;
  return observation.condition === undefined;
}

function nameOf(observation: Repeatable): string {
  const text =
    observation.kind === 'job_failed'
      ? `${observation.job} ${observation.error.message}`
      : observation.message;
  return `${observation.kind} ${text.replaceAll(VARIABLE, '#')}`;
}
