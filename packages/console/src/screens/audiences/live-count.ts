/** Counts filters while they are being written: the old count is aborted, and the database ends it. */
import { useRef } from 'preact/hooks';
import type { Fault } from '../../filter-builder/faults.tsx';
import { areComplete, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { type ApiCall, ApiFailure, call } from '../../frame/api.ts';
import { useDebounced, useResource } from '../../kit/states.tsx';
import type { DeviceCount, FilterCounts } from '../../replies.ts';

const QUIET_MS = 300;
export const EACH_PATH = '/v6/audiences/count/filters';

export function bodyOf(filters: readonly FilterJson[]): string {
  return `{"filters":${writeFilters(filters)}}`;
}

export type LiveCount = ReturnType<typeof useLiveCount>;

export function useLiveCount(filters: readonly FilterJson[]) {
  const body = areComplete(filters) ? bodyOf(filters) : '';
  const late = useDebounced(body, QUIET_MS);
  // Other filters end the old count at once.
  const asked = late === body ? body : '';
  const last = useRef<{ of: string; total: DeviceCount }>(undefined);
  const count = useResource(
    async (signal) => {
      if (asked !== '')
        last.current = { of: asked, total: await call<DeviceCount>(countCall(asked), signal) };
      return last.current;
    },
    [asked],
  );
  const { data, isLoading, error } = count.state.value;
  const counted = data?.of === asked ? asked : '';
  const each = useResource(
    async (signal) => {
      if (counted === '') return undefined;
      return call<FilterCounts>({ method: 'POST', path: EACH_PATH, body: counted }, signal);
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
    call: body === '' ? undefined : countCall(body),
    error: isCurrent ? error : undefined,
    retry: count.reload,
  };
}

function countCall(body: string): ApiCall {
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
