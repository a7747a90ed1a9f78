/** The number of devices that a target has now. */
import { call, parseExact } from '../../frame/api.ts';
import { formatNumber } from '../../kit/format.ts';
import { useDebounced, useResource } from '../../kit/resource.ts';
import { Failure } from '../../kit/states.tsx';
import type { DeviceCount } from '../../replies.ts';
import { countCall } from './draft/target.ts';

const QUIET_MS = 300;

export type Counted = ReturnType<typeof useCount>;

/** @param to the value of `to`; a new count aborts the previous one */
export function useCount(to: unknown) {
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
    /** Undefined while the target is incomplete. */
    count: isCurrent ? data.count : undefined,
    isCounting: request !== undefined || isLoading || written !== late,
    error: isLoading ? undefined : error,
    reload,
  };
}

/** 'Reachable now: 11,900 of 12,345' */
export function CountLine({ counted }: { counted: Counted }) {
  const { count, isCounting, error, reload } = counted;
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  return (
    <p class="compose-count" role="status">
      {count === undefined ? (
        isCounting && 'Counting …'
      ) : (
        <>
          Reachable now: <strong>{formatNumber(count.reachable_count)}</strong> of {formatNumber(count.device_count)}
        </>
      )}
    </p>
  );
}
