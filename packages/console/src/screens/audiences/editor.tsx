/** What the screens of a new and of a stored audience edit filters with: the builder, their count, a sample, an explanation, JSON. */
import { useState } from 'preact/hooks';
import { place } from '../../frame/router.ts';
import { FilterBuilder } from '../../filter-builder/filter-builder.tsx';
import { areComplete, readFilters, showFilters, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { TextArea } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { Empty, Failure } from '../../kit/states.tsx';
import { useAction } from '../../kit/action.tsx';
import { CountPanel } from './count-panel.tsx';
import { DevicesTable } from './devices-table.tsx';
import type { EditedFilters } from './filters-state.ts';
import { bodyOf, faultsOf, useLiveCount } from './live-count.ts';
import { Why } from './why.tsx';
import type { Device } from '../../replies.ts';

export function AudienceEditor(props: {
  edited: EditedFilters;
  /** What to do with the filters, next to their count. */
  children?: Content;
}): Content {
  const { edited, children } = props;
  const { filters, change, fault } = edited;
  const count = useLiveCount(filters);
  const isReady = areComplete(filters);
  return (
    <>
      {fault !== undefined && <Failure error={new Error(`The filters of this address cannot be read. ${fault}`)} />}
      <ForDevelopers title="Filters as JSON">
        <JsonEditor filters={filters} onChange={change} error={count.error} />
      </ForDevelopers>
      <div class="audience-columns audience-edited">
        <FilterBuilder filters={filters} onChange={change} faults={faultsOf(count.error)} counts={count.each} />
        <aside class="stack audience-side" aria-label="Count and next steps">
          <CountPanel count={count} isEmpty={filters.length === 0} />
          {children}
        </aside>
      </div>
      {isReady && <Sample key={writeFilters(filters)} filters={filters} />}
      {isReady && (
        <Why
          device={place.value.query.get('device') ?? ''}
          callFor={(device: string) => ({
            method: 'POST',
            path: '/v6/audiences/explain',
            body: `{"filters":${writeFilters(filters)},"device_id":${JSON.stringify(device)}}`,
          })}
        />
      )}
    </>
  );
}

/** The text stays as it is written; whenever it is a valid list, it sets the filters. */
function JsonEditor(props: {
  filters: readonly FilterJson[];
  onChange: (filters: readonly FilterJson[]) => void;
  error: unknown;
}): Content {
  const { filters, onChange, error } = props;
  const [written, setWritten] = useState(() => showFilters(filters));
  const read = readFilters(written);
  const isSame = read.filters !== undefined && writeFilters(read.filters) === writeFilters(filters);
  const text = isSame || read.fault !== undefined ? written : showFilters(filters);
  const faults = faultsOf(error).map(({ path, message }) => `${path} ${message}`);
  return (
    <TextArea
      label="Filters as JSON"
      code
      rows={12}
      value={text}
      error={read.fault ?? (faults.length === 0 ? undefined : faults.join('; '))}
      onInput={(next) => {
        setWritten(next);
        const found = readFilters(next);
        if (found.filters !== undefined) onChange(found.filters);
      }}
    />
  );
}

/** Some of the devices, read only when the reader asks: if few of many devices match, it takes as long as a count. */
export function Sample({ filters }: { filters: readonly FilterJson[] }): Content {
  const [devices, setDevices] = useState<readonly Device[] | undefined>(undefined);
  const sample = { method: 'POST', path: '/v6/audiences/sample', body: bodyOf(filters) } as const;
  const { run, isBusy, error } = useAction<{ devices: readonly Device[] }>({
    call: sample,
    onDone: (reply) => setDevices(reply.devices),
  });
  return (
    <section class="card stack" aria-labelledby="audience-sample">
      <div class="screen-head">
        <h2 id="audience-sample">Some of its devices</h2>
        <Curl call={sample} />
        {devices === undefined && (
          <button type="button" onClick={run} disabled={isBusy} aria-busy={isBusy}>
            Show 10 devices
          </button>
        )}
      </div>
      {error !== undefined && <Failure error={error} retry={run} />}
      {devices !== undefined &&
        (devices.length === 0 ? (
          <Empty title="No device matches" icon="device" />
        ) : (
          <DevicesTable devices={devices} label="Some of its devices" />
        ))}
    </section>
  );
}
