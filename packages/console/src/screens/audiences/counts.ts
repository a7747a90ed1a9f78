/** Counts devices: those of filters while they are being written, and those of the audiences of a list. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Fault } from '../../filter-builder/faults.tsx';
import { areComplete, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { type ApiCall, ApiFailure, call } from '../../frame/api.ts';
import { useDebounced, useResource } from '../../kit/states.tsx';
import type { DeviceCount, FilterCounts, ListedAudience, OneAudience } from '../../replies.ts';

const QUIET_MS = 300;
export const EACH_PATH = '/v6/audiences/count/filters';

export function bodyOf(filters: readonly FilterJson[]): string {
  return `{"filters":${writeFilters(filters)}}`;
}

export type LiveCount = ReturnType<typeof useLiveCount>;

/** Counts filters while they are being written: the old count is aborted, and the database ends it. */
export function useLiveCount(filters: readonly FilterJson[]) {
  const body = areComplete(filters) ? bodyOf(filters) : '';
  const late = useDebounced(body, QUIET_MS);
  // Other filters end the old count at once.
  const asked = late === body ? body : '';
  const last = useRef<{ of: string; total: DeviceCount }>(undefined);
  const count = useResource(
    async (aborted) => {
      if (asked !== '')
        last.current = { of: asked, total: await call<DeviceCount>(countingCall(asked), aborted) };
      return last.current;
    },
    [asked],
  );
  const { data, isLoading, error } = count.state.value;
  const counted = data?.of === asked ? asked : '';
  const each = useResource(
    async (aborted) => {
      if (counted === '') return undefined;
      return call<FilterCounts>({ method: 'POST', path: EACH_PATH, body: counted }, aborted);
    },
    [counted],
  ).state.value;
  const isCurrent = asked !== '' && !isLoading && (counted !== '' || error !== undefined);
  return {
    /** The last count; while `isCurrent` is false, it is the count of other filters. */
    total: data?.total,
    /** The counts of each filter, which come after the total. */
    each: isCurrent && !each.isLoading ? each.data?.filters : undefined,
    isCurrent,
    /** Undefined while a filter is incomplete: there is nothing to count yet. */
    call: body === '' ? undefined : countingCall(body),
    error: isCurrent ? error : undefined,
    retry: count.reload,
  };
}

function countingCall(body: string): ApiCall {
  return { method: 'POST', path: '/v6/audiences/count', body };
}

const LIST = /^(?:audience\.)?filters\b/;

/** The faults of a refusal, with paths relative to the list of filters. */
export function faultsOf(error: unknown): readonly Fault[] {
  if (!(error instanceof ApiFailure) || error.code !== 'invalid_request') return [];
  return error.details
    .filter(({ path }) => LIST.test(path))
    .map(({ path, message }) => ({ path: path.replace(LIST, ''), message }));
}

export interface StoredCount {
  devices: number;
  atMs: number;
  /** Why it could not be counted. */
  failure?: string;
}

/** Older counts are shown until they have been counted again. */
const FRESH_MS = 600_000;

/** By the id of the audience and its last change. */
const counts = signal<ReadonlyMap<string, StoredCount>>(new Map());

/**
 * Counts the audiences of a list in the background, two at a time, so that a page of audiences leaves most of the server's few slots for
 * counts to others. What was counted stays for the next look at the list, with its age. It counts filters and does not read the
 * audiences: the server would take that for a use of each.
 * @returns what is known of the number of devices of an audience
 */
export function useStoredCounts(
  audiences: readonly ListedAudience[],
): (one: ListedAudience) => StoredCount | undefined {
  useEffect(() => {
    const controller = new AbortController();
    const waiting = audiences.filter((audience) => {
      const { atMs = 0, failure } = counts.peek().get(keyOf(audience)) ?? {};
      return failure !== undefined || Date.now() - atMs > FRESH_MS;
    });
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const count = await countOf(next, controller.signal);
        if (controller.signal.aborted) return;
        counts.value = new Map(counts.peek()).set(keyOf(next), count);
      }
    };
    void Promise.all([work(), work()]);
    return () => controller.abort();
  }, [audiences.map(keyOf).join(' ')]);
  return (audience) => counts.value.get(keyOf(audience));
}

function keyOf({ id, updated_at: at }: ListedAudience): string {
  return `${id} ${at}`;
}

async function countOf(audience: ListedAudience, aborted: AbortSignal): Promise<StoredCount> {
  try {
    const reply = await call<DeviceCount | OneAudience>(countCall(audience), aborted);
    const { device_count: devices } = 'audience' in reply ? reply.audience : reply;
    return { devices, atMs: Date.now() };
  } catch (error) {
    return { devices: 0, atMs: Date.now(), failure: error instanceof Error ? error.message : String(error) };
  }
}

/** The list leaves out filters that are very long; such an audience has to be read. */
export function countCall({ id, filters }: Pick<ListedAudience, 'id' | 'filters'>): ApiCall {
  return filters === null ? { method: 'GET', path: `/v6/audiences/${id}` } : countingCall(bodyOf(filters));
}
