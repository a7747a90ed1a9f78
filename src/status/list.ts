/** Makes the list from what was found: one entry for each cause, what stops everything first. */
import { databaseWords } from './database-words.ts';
import { DEAD_AFTER_MS, type StoredFacts } from './facts-store.ts';
import { databaseInWords, type Found, type FoundOfDatabase, inWords, isFoundCode } from './in-words.ts';
import type { LeftTrouble } from './pulse.ts';
import { type Trouble, type TroubleCode, troubleCodes } from './trouble.ts';

export interface Findings {
  /** What is wrong with the database itself. */
  database?: FoundOfDatabase | undefined;
  /** What this process found by itself. */
  own: readonly LeftTrouble[];
  /** As they were last read; undefined: not yet. */
  facts: StoredFacts | undefined;
  /** Undefined: a worker runs, or that is not known. Unix ms. */
  noWorkerSinceMs?: number | undefined;
  missingCredentials: readonly Found[];
}

export function listTroubles({
  database,
  own,
  facts,
  noWorkerSinceMs,
  missingCredentials,
}: Findings): Trouble[] {
  const found = [
    ...own.flatMap(foundOf),
    ...(facts?.left ?? []).flatMap(foundOf),
    ...(noWorkerSinceMs === undefined
      ? []
      : [{ code: 'no_worker', sinceMs: noWorkerSinceMs, reason: null } as const]),
    ...(facts?.found ?? []),
    ...missingCredentials,
  ];
  const ofDatabase = database && databaseInWords(database);
  const troubles = [
    ...(ofDatabase === undefined ? [] : [ofDatabase]),
    ...oneEach(found)
      .map(inWords)
      .filter(({ code }) => code !== ofDatabase?.code),
  ];
  return troubles
    .filter((trouble) => !isExplained(trouble, troubles))
    .sort((one, other) => rank(one) - rank(other) || one.since.localeCompare(other.since));
}

/** How long ago the last sign of a worker was, in ms; undefined while a worker runs. Infinite: there was none for a day. */
export function workerGoneMs({ pulseAgeMs }: StoredFacts): number | undefined {
  if (pulseAgeMs === null) return Infinity;
  return pulseAgeMs > DEAD_AFTER_MS ? pulseAgeMs : undefined;
}

/** A worker of another release may leave codes that this one does not know. */
function foundOf({ code, ...left }: LeftTrouble): Found[] {
  return isFoundCode(code) ? [{ code, ...left }] : [];
}

/** Several workers may find the same: the first of them counts. */
function oneEach(found: readonly Found[]): Found[] {
  const byKey = new Map<string, Found>();
  for (const one of found) {
    const key = [one.code, one.appId, one.route, one.webhookId].join(' ');
    const known = byKey.get(key);
    if (known === undefined || one.sinceMs < known.sinceMs) byKey.set(key, one);
  }
  return [...byKey.values()];
}

const OF_DATABASE: ReadonlySet<TroubleCode> = new Set(Object.values(databaseWords).map(({ code }) => code));

const OF_SAVING: ReadonlySet<TroubleCode> = new Set(['outcomes_unsaved', 'leases_not_renewed']);
const OF_ANSWERS: ReadonlySet<TroubleCode> = new Set([
  'gateway_errors',
  'gateway_silent',
  'credentials_refused',
]);

/** Troubles that follow from another one in the list. */
function isExplained({ code, appId, route }: Trouble, all: readonly Trouble[]): boolean {
  if (OF_SAVING.has(code)) return all.some((other) => OF_DATABASE.has(other.code));
  if (code === 'notifications_waiting') return all.some((other) => other.code === 'no_worker');
  if (!OF_ANSWERS.has(code)) return false;
  return all.some((other) => other.code === 'route_paused' && other.appId === appId && other.route === route);
}

function rank({ code }: Trouble): number {
  return troubleCodes.indexOf(code);
}
