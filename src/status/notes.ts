/** Troubles that are found in the observations of the process, each from the first until it is over. */
import type { Clock } from '../clock.ts';
import type { Observation } from '../observe.ts';
import type { LeftTrouble } from './pulse.ts';
import type { TroubleCode } from './trouble.ts';

/**
 * Errors that come again while their cause lasts: saving is tried again after two seconds at most, and a lease is renewed
 * every third of ten seconds.
 */
const REPEATED: readonly { begins: string; code: TroubleCode }[] = [
  { begins: 'record outcomes: ', code: 'outcomes_unsaved' },
  { begins: 'renew a lease: ', code: 'leases_not_renewed' },
];
const LASTS_MS = 4_500;

/** Observations that end a trouble. */
const ENDS: ReadonlyMap<Observation['kind'], TroubleCode> = new Map([
  ['descriptors_free', 'descriptors_used_up'],
  ['connections_free', 'connections_full'],
  ['replica_used', 'replica_away'],
]);

interface Note {
  sinceMs: number;
  /** A sentence. */
  reason: string;
  /** Unix ms; infinite: until an observation ends it. */
  untilMs: number;
}

export function openNotes(clock: Clock) {
  const notes = new Map<TroubleCode, Note>();

  /** @param reason undefined: it is over */
  function set(code: TroubleCode, reason: string | undefined, lastsMs = Infinity): void {
    if (reason === undefined) {
      notes.delete(code);
      return;
    }
    const nowMs = clock().getTime();
    const known = notes.get(code);
    const sinceMs = known === undefined || known.untilMs < nowMs ? nowMs : known.sinceMs;
    notes.set(code, { sinceMs, reason, untilMs: nowMs + lastsMs });
  }

  function observeError(message: string): void {
    const found = REPEATED.find(({ begins }) => message.startsWith(begins));
    if (found !== undefined) set(found.code, message.slice(found.begins.length), LASTS_MS);
  }

  return {
    set,
    observe(observation: Observation): void {
      const { kind } = observation;
      if (kind === 'descriptors_used_up' || kind === 'replica_away') set(kind, observation.message);
      else if (kind === 'connections_full') set(kind, `${observation.open} of ${observation.max}`);
      else if (kind === 'database_error') observeError(observation.message);
      else {
        const over = ENDS.get(kind);
        if (over !== undefined) set(over, undefined);
      }
    },
    list(): LeftTrouble[] {
      const nowMs = clock().getTime();
      return [...notes]
        .filter(([, { untilMs }]) => untilMs >= nowMs)
        .map(([code, { sinceMs, reason }]) => ({ code, sinceMs, reason }));
    },
  };
}
