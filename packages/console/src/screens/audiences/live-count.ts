/** Counts filters while they are being written: the old count is aborted, and the database ends it. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, call } from '../../frame/api.ts';
import { areComplete, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import type { Fault } from '../../filter-builder/faults.tsx';
import type { DeviceCount, FilterCounts } from '../../replies.ts';

const QUIET_MS = 300;
/** Counts each filter, with the same body. */
export const EACH_PATH = '/v6/audiences/count/filters';

export interface LiveCount {
  /** The last count; while `isCurrent` is false, it is the count of other filters. */
  total: DeviceCount | undefined;
  /** The counts of each filter, which come after the total. */
  each: FilterCounts['filters'] | undefined;
  isCurrent: boolean;
  /** Undefined while a filter is incomplete: there is nothing to count yet. */
  call: ApiCall | undefined;
  error: unknown;
  retry: () => void;
}

type Counted = Omit<LiveCount, 'isCurrent' | 'call' | 'retry'> & { of: string };

const NOTHING: Counted = { of: '', total: undefined, each: undefined, error: undefined };

export function bodyOf(filters: readonly FilterJson[]): string {
  return `{"filters":${writeFilters(filters)}}`;
}

export function useLiveCount(filters: readonly FilterJson[]): LiveCount {
  const body = areComplete(filters) ? bodyOf(filters) : '';
  const [counted, setCounted] = useState<Counted>(NOTHING);
  const [round, setRound] = useState(0);
  // Ends the old count in the same step that shows other filters; otherwise it would request the counts of each old
  // filter.
  useLayoutEffect(() => {
    if (body === '') return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const run = async (): Promise<void> => {
      const total = await call<DeviceCount>(countCall(body), signal);
      const found = { of: body, total, error: undefined };
      setCounted({ ...found, each: undefined });
      signal.throwIfAborted();
      const { filters: each } = await call<FilterCounts>({ method: 'POST', path: EACH_PATH, body }, signal);
      setCounted({ ...found, each });
    };
    const timer = setTimeout(() => {
      run().catch((error: unknown) => {
        if (!signal.aborted) setCounted((before) => ({ ...before, of: body, each: undefined, error }));
      });
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [body, round]);
  const isCurrent = counted.of === body && body !== '';
  return {
    ...counted,
    each: isCurrent ? counted.each : undefined,
    error: isCurrent ? counted.error : undefined,
    isCurrent,
    call: body === '' ? undefined : countCall(body),
    retry: () => setRound(round + 1),
  };
}

function countCall(body: string): ApiCall {
  return { method: 'POST', path: '/v6/audiences/count', body };
}

/** The faults of a refusal, with paths relative to the list of filters. */
export function faultsOf(error: unknown): readonly Fault[] {
  if (!(error instanceof ApiFailure) || error.code !== 'invalid_request') return [];
  return error.details
    .filter(({ path }) => /^(?:audience\.)?filters\b/.test(path))
    .map(({ path, message }) => ({ path: path.replace(/^(?:audience\.)?filters/, ''), message }));
}
