/** What the screens of a new and of a stored audience edit filters with: the builder, their count, a sample, an explanation, JSON. */
import { useState } from 'preact/hooks';
import { FilterBuilder } from '../../filter-builder/filter-builder.tsx';
import { ADDRESS_CHARACTERS_MAX, areComplete, readFilters, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { place, setQuery } from '../../frame/router.ts';
import type { Content } from '../../kit/content.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { TextArea } from '../../kit/form.tsx';
import { formatNumber } from '../../kit/format.ts';
import { Failure } from '../../kit/states.tsx';
import type { DeviceCount } from '../../replies.ts';
import { EACH_PATH, faultsOf, type LiveCount, useLiveCount } from './counts.ts';
import { Sample, Why } from './devices.tsx';

/**
 * The filters that are being edited. The address has them, so that it can be sent to a colleague; longer ones are only in the page.
 * @param first the filters that an address without any stands for
 */
export function useFilters(first: readonly FilterJson[]) {
  const written = place.value.query.get('filters');
  const [long, setLong] = useState<readonly FilterJson[] | undefined>(undefined);
  const read = written === null ? { filters: first } : readFilters(written);
  return {
    filters: long ?? read.filters ?? [],
    change: (filters: readonly FilterJson[]): void => {
      const text = writeFilters(filters);
      const isLong = text.length > ADDRESS_CHARACTERS_MAX;
      setLong(isLong ? filters : undefined);
      if (!isLong) setQuery({ filters: text === writeFilters(first) ? undefined : text });
    },
    /** Why the address cannot be read. */
    fault: long === undefined ? read.fault : undefined,
  };
}

type EditedFilters = ReturnType<typeof useFilters>;

/** @param props.children what to do with the filters, next to their count */
export function AudienceEditor({ edited, children }: { edited: EditedFilters; children?: Content }) {
  const { filters, change, fault } = edited;
  const count = useLiveCount(filters);
  return (
    <>
      {fault !== undefined && <Failure error={new Error(`The filters of this address cannot be read. ${fault}`)} />}
      <ForDevelopers title="Filters as JSON">
        <JsonEditor edited={edited} error={count.error} />
      </ForDevelopers>
      <div class="columns audience-columns audience-edited">
        <FilterBuilder filters={filters} onChange={change} faults={faultsOf(count.error)} counts={count.each} />
        <aside class="stack audience-side" aria-label="Count and next steps">
          <CountPanel count={count} isEmpty={filters.length === 0} />
          {children}
        </aside>
      </div>
      {areComplete(filters) && (
        <>
          <Sample key={writeFilters(filters)} filters={filters} />
          <Why
            callFor={(device) => ({
              method: 'POST',
              path: '/v6/audiences/explain',
              body: `{"filters":${writeFilters(filters)},"device_id":${JSON.stringify(device)}}`,
            })}
          />
        </>
      )}
    </>
  );
}

/** The text stays as it is written; whenever it is a valid list, it sets the filters. */
function JsonEditor({ edited, error }: { edited: EditedFilters; error: unknown }) {
  const { filters, change } = edited;
  const [written, setWritten] = useState(() => writeFilters(filters, 2));
  const read = readFilters(written);
  const isSame = read.filters !== undefined && writeFilters(read.filters) === writeFilters(filters);
  const faults = faultsOf(error).map(({ path, message }) => `${path} ${message}`);
  return (
    <TextArea
      label="Filters as JSON"
      code
      rows={12}
      value={isSame || read.fault !== undefined ? written : writeFilters(filters, 2)}
      error={read.fault ?? (faults.join('; ') || undefined)}
      onInput={(next) => {
        setWritten(next);
        const found = readFilters(next);
        if (found.filters !== undefined) change(found.filters);
      }}
    />
  );
}

/** The number of devices, which stays in view while filters are written. */
function CountPanel({ count, isEmpty }: { count: LiveCount; isEmpty: boolean }) {
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
export function Total({ count: { device_count: devices, reachable_count: reachable } }: { count: DeviceCount }) {
  const what = reachable === 1 ? 'device that a push can reach' : 'devices that a push can reach';
  return (
    <>
      <strong class="display">{formatNumber(reachable)}</strong>
      <p class="muted">
        {reachable === devices
          ? what
          : `${what}, of ${formatNumber(devices)} that ${devices === 1 ? 'matches' : 'match'}`}
      </p>
    </>
  );
}
