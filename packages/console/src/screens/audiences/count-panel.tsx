import { formatNumber } from '../../kit/format.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import type { Content } from '../../kit/content.ts';
import { Failure } from '../../kit/states.tsx';
import { EACH_PATH, faultsOf, type LiveCount } from './live-count.ts';
import type { DeviceCount } from '../../replies.ts';

/** The number of devices, which stays in view while filters are written. */
export function CountPanel({ count, isEmpty }: { count: LiveCount; isEmpty: boolean }): Content {
  const { total, isCurrent, call, error, retry } = count;
  const hasFaults = faultsOf(error).length > 0;
  return (
    <section class="audience-count" aria-label="Devices" aria-busy={call !== undefined && !isCurrent}>
      <div role="status" class={isCurrent && error === undefined ? undefined : 'audience-old'}>
        {call === undefined ? (
          <p class="muted">{isEmpty ? 'Add a filter to count its devices.' : 'A value is missing.'}</p>
        ) : hasFaults ? (
          <p class="fault">A filter is not valid yet; its fault is next to it.</p>
        ) : total === undefined ? (
          <p class="muted">Counting …</p>
        ) : (
          <Total count={total} />
        )}
      </div>
      {error !== undefined && !hasFaults && <Failure error={error} retry={retry} />}
      {call !== undefined && (
        <>
          <Curl call={call} />
          <Curl call={{ ...call, path: EACH_PATH }} />
        </>
      )}
    </section>
  );
}

/** The devices that a push can reach, and in one line how many match. */
export function Total({ count }: { count: DeviceCount }): Content {
  const { device_count: devices, reachable_count: reachable } = count;
  const all = `${formatNumber(devices)} that ${devices === 1 ? 'matches' : 'match'}`;
  const what = reachable === 1 ? 'device that a push can reach' : 'devices that a push can reach';
  return (
    <>
      <p class="display">{formatNumber(reachable)}</p>
      <p class="muted">{reachable === devices ? what : `${what}, of ${all}`}</p>
    </>
  );
}
