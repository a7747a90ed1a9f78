import { formatNumber, formatShare } from '../../kit/format.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import type { Content } from '../../kit/content.ts';
import { Failure } from '../../kit/states.tsx';
import { EACH_PATH, faultsOf, type LiveCount } from './live-count.ts';
import type { DeviceCount } from '../../replies.ts';

/** The number of devices, which stays in view while filters are written. */
export function CountPanel({ count, isEmpty }: { count: LiveCount; isEmpty: boolean }): Content {
  const { total, tookMs, isCurrent, call, error, retry } = count;
  const hasFaults = faultsOf(error).length > 0;
  return (
    <section class="card audience-count" aria-label="Devices" aria-busy={call !== undefined && !isCurrent}>
      <div role="status" class={isCurrent && error === undefined ? 'audience-total' : 'audience-total old'}>
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
      <div class="audience-count-foot">
        <span class="muted">
          {isCurrent &&
            tookMs !== undefined &&
            error === undefined &&
            `Counted in ${formatNumber(Math.round(tookMs))} ms.`}
          {call !== undefined && !isCurrent && total !== undefined && 'Counting …'}
        </span>
        {call !== undefined && (
          <span>
            <Curl call={call} />
            <Curl call={{ ...call, path: EACH_PATH }} label="curl of each" />
          </span>
        )}
      </div>
    </section>
  );
}

export function Total({ count }: { count: DeviceCount }): Content {
  const { device_count: devices, reachable_count: reachable } = count;
  const what = devices === 1 ? 'device now' : 'devices now';
  return (
    <>
      <p class="audience-number">{formatNumber(devices)}</p>
      <p>{devices === 0 ? what : `${what}; ${reachWords(devices, reachable)}`}</p>
    </>
  );
}

function reachWords(devices: number, reachable: number): string {
  if (reachable === devices) return devices === 1 ? 'a push can reach it' : 'a push can reach all of them';
  if (reachable === 0) return 'none has a push token';
  return `a push can reach ${formatNumber(reachable)} of them (${formatShare(reachable, devices)}), which have a push token`;
}
