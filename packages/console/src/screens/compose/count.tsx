/** The number of devices that a target has now. */
import { type ApiCall, call, parseExact } from '../../frame/api.ts';
import { formatNumber } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { useDebounced, useResource } from '../../kit/resource.ts';
import { Failure } from '../../kit/states.tsx';
import { countCall } from './draft/target.ts';
import type { DeviceCount } from '../../replies.ts';

const QUIET_MS = 300;

export interface Counted {
  /** Undefined while the target is incomplete. */
  call: ApiCall | undefined;
  count: DeviceCount | undefined;
  isLoading: boolean;
  error: unknown;
  reload: () => void;
}

/** @param to the value of `to`; a new count aborts the previous one */
export function useCount(to: unknown): Counted {
  const written = JSON.stringify(to) ?? '';
  const late = useDebounced(written, QUIET_MS);
  const request = late === '' ? undefined : countCall(parseExact(late));
  const { state, reload } = useResource(
    async (signal) => ({ of: late, count: request && (await call<DeviceCount>(request, signal)) }),
    [late],
  );
  const { data, error, isLoading } = state.value;
  const isCurrent = data?.of === written;
  return {
    call: request,
    count: isCurrent ? data.count : undefined,
    isLoading: isLoading || written !== late,
    error: isLoading ? undefined : error,
    reload,
  };
}

/** 'Reachable now: 11,900 of 12,345' */
export function CountLine({ counted }: { counted: Counted }): Content {
  const { call: request, count, isLoading, error, reload } = counted;
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  return (
    <p class="compose-count" role="status">
      {count === undefined ? (
        (request !== undefined || isLoading) && 'Counting …'
      ) : (
        <>
          Reachable now: <strong>{formatNumber(count.reachable_count)}</strong> of {formatNumber(count.device_count)}
        </>
      )}
    </p>
  );
}
