/**
 * Suggests values for filters from the app's own data: the most common ones with their devices. A sample is read once a minute
 * for each app and attribute, however many people type.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import type { Clock } from '../clock.ts';
import { ApiError } from '../api/errors.ts';
import { type Attribute, findAttribute } from '../filters/attributes.ts';
import type { Filter } from '../filters/filter.ts';
import { parseFilters } from '../filters/filter-schema.ts';
import { countInside } from './count-devices.ts';
import { inCountTransaction, limitStatements } from './count-transaction.ts';
import { suggestable } from './personal-values.ts';
import { sampleNames, sampleValues, type SampleRequest, type ValueSample } from './sample-values.ts';

export interface Suggestion {
  value: string | number | boolean;
  devices: number;
  /** Whether `devices` is an exact count; otherwise it is estimated from the sample. */
  isExact: boolean;
}

export interface Suggestions {
  values: Suggestion[];
  /** The moment of the sample. */
  sampledAt: Date;
}

export interface SuggestDeps {
  db: Kysely<Database>;
  clock: Clock;
  /** Limits how many counts run at a time. */
  limit: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

export interface Suggester {
  /**
   * @param name of a filter that exists (`filters/attributes.ts`)
   * @param prefix in any case; '' for all
   * @throws {ApiError} `unavailable` if the database takes too long; it is asked again only some seconds later
   */
  values(deps: SuggestDeps, request: SampleRequest & { name: string; prefix: string }): Promise<Suggestions>;
  /** The names `custom.<type>.<name>` and `events.<name>`, whose `<name>` begins with the prefix. */
  names(deps: SuggestDeps, request: SampleRequest & { prefix: string }): Promise<Suggestions>;
}

export const SUGGESTIONS_MAX = 20;
export const NAMES_MAX = 100;
const MAX_AGE_MS = 60_000;
const FAILURE_MAX_AGE_MS = 10_000;
/** Each has at most 1,000 values of at most 100 characters. */
const ENTRIES_MAX = 200;
/** For the exact counts of all suggestions together. */
const COUNT_MS_MAX = 1_000;

interface Entry {
  askedAtMs: number;
  maxAgeMs: number;
  sample: Promise<Sampled>;
  counts: ExactCounts;
}

interface ExactCounts {
  /** Since the sample was read, by value. */
  known: Map<string, number>;
  /** Of all devices. */
  total: number | undefined;
  /** One run at a time. */
  running: Promise<void>;
  /** The time was up, so nothing more is counted for this sample. */
  isTired: boolean;
}

type Sampled = Pick<ValueSample, 'values' | 'sampled' | 'isWhole'> & { at: Date };

export function openSuggester(): Suggester {
  const entries = new Map<string, Entry>();

  function entryOf(key: string, deps: SuggestDeps, read: () => Promise<Omit<Sampled, 'at'>>): Entry {
    const nowMs = deps.clock().getTime();
    const known = entries.get(key);
    if (known !== undefined && nowMs - known.askedAtMs < known.maxAgeMs) return known;
    const sample = deps.limit(read).then((found) => ({ ...found, at: new Date(nowMs) }));
    const counts = { known: new Map(), total: undefined, running: Promise.resolve(), isTired: false };
    const entry: Entry = { askedAtMs: nowMs, maxAgeMs: MAX_AGE_MS, sample, counts };
    sample.catch(() => (entry.maxAgeMs = FAILURE_MAX_AGE_MS));
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= ENTRIES_MAX) break;
      entries.delete(oldest);
    }
    return entry;
  }

  return {
    async values(deps, { name, prefix, ...request }) {
      const attribute = findAttribute(name);
      if (attribute.kind === 'unknown') throw new Error('the name of the filter was checked');
      const entry = entryOf(`${request.appId} ${name}`, deps, async () => {
        const sample = await sampleValues(deps.db, request, attribute);
        return allowed(sample, {
          isChosenByApp: isChosenByApp(attribute),
          mayBeUnique: attribute.kind === 'tags',
        });
      });
      const { values, isWhole, sampled, at } = await entry.sample;
      const wanted = values
        .filter(({ value }) => value.toLowerCase().startsWith(prefix.toLowerCase()))
        .slice(0, SUGGESTIONS_MAX);
      const { counts } = entry;
      if (!isWhole && wanted.some(({ value }) => !counts.known.has(value))) {
        await count(deps, counts, async (countOf) => {
          counts.total ??= await countOf(request.appId, []);
          for (const { value } of wanted.filter((each) => !counts.known.has(each.value))) {
            const parsed = parseFilters([{ name, criteria: [typed(attribute, value)] }], 'filters');
            if (parsed.ok) counts.known.set(value, await countOf(request.appId, parsed.filters));
          }
        });
      }
      const suggested = wanted.map(({ value, devices }) => {
        const exact = isWhole ? devices : counts.known.get(value);
        const estimate = scaled(devices, { sampled, total: counts.total });
        return { value: typed(attribute, value), devices: exact ?? estimate, isExact: exact !== undefined };
      });
      return { sampledAt: at, values: suggested };
    },
    async names(deps, { prefix, ...request }) {
      const entry = entryOf(`${request.appId} names`, deps, async () =>
        allowed(await sampleNames(deps.db, request), { isChosenByApp: true, mayBeUnique: true }),
      );
      const { values, isWhole, sampled, at } = await entry.sample;
      const begins = prefix.toLowerCase();
      const wanted = values
        .filter(({ value }) => shortNameOf(value).toLowerCase().startsWith(begins))
        .slice(0, NAMES_MAX);
      const { counts } = entry;
      if (!isWhole && counts.total === undefined) {
        await count(deps, counts, async (countOf) => {
          counts.total ??= await countOf(request.appId, []);
        });
      }
      const suggested = wanted.map(({ value, devices }) => ({
        value,
        devices: isWhole ? devices : scaled(devices, { sampled, total: counts.total }),
        isExact: isWhole,
      }));
      return { sampledAt: at, values: suggested };
    },
  };
}

/** @param total of the app; undefined: it could not be counted, and the number of the sample stays */
function scaled(devices: number, { sampled, total }: { sampled: number; total: number | undefined }): number {
  return total === undefined ? devices : Math.max(devices, Math.round((devices * total) / sampled));
}

function allowed(
  sample: ValueSample | undefined,
  rules: Parameters<typeof suggestable>[1],
): Omit<Sampled, 'at'> {
  if (sample === undefined) return { values: [], sampled: 0, isWhole: true };
  const { sampled, isWhole } = sample;
  return { sampled, isWhole, values: suggestable(sample, rules) };
}

function isChosenByApp({ kind }: Attribute): boolean {
  return kind === 'tags' || kind === 'custom_string' || kind === 'custom_number' || kind === 'custom_boolean';
}

function typed({ kind }: Attribute, value: string): Suggestion['value'] {
  if (kind === 'custom_number') return Number(value);
  return kind === 'custom_boolean' ? value === 'true' : value;
}

/** `first_name` of `custom.string.first_name`. */
function shortNameOf(name: string): string {
  return name.replace(/^(?:custom\.[a-z]+|events)\./, '');
}

type CountOf = (appId: string, filters: readonly Filter[]) => Promise<number>;

/** Counts after the counts of other callers, until the time is up, and keeps what was found. */
async function count(
  deps: SuggestDeps,
  counts: ExactCounts,
  work: (countOf: CountOf) => Promise<void>,
): Promise<void> {
  const { running: before } = counts;
  const afterOthers = async (): Promise<void> => {
    await before;
    if (counts.isTired) return;
    const endsAtMs = performance.now() + COUNT_MS_MAX;
    const now = deps.clock();
    const limits = { timeoutMs: COUNT_MS_MAX, inBackground: true };
    try {
      await deps.limit(async () =>
        inCountTransaction(deps.db, limits, async (transaction) =>
          work(async (appId, filters) => {
            await limitStatements(transaction, endsAtMs - performance.now());
            return (await countInside(transaction, { appId, filters, now }, false)).devices;
          }),
        ),
      );
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'unavailable') throw error;
      counts.isTired = true;
    }
  };
  const run = afterOthers();
  counts.running = run.catch(() => undefined);
  await run;
}
