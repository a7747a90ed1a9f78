/**
 * The builder: filters, their live count, JSON, a sample, an explanation, and a name to store them under. The address
 * contains all of it.
 */
import { useState } from 'preact/hooks';
import { announce } from '../../frame/notices.tsx';
import { go, place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { FilterBuilder } from '../../filter-builder/filter-builder.tsx';
import {
  ADDRESS_CHARACTERS_MAX,
  areComplete,
  readFilters,
  showFilters,
  writeFilters,
} from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { Form, TextArea, TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { Empty, Failure } from '../../kit/states.tsx';
import { useAction } from '../../kit/action.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import { CountPanel } from './count-panel.tsx';
import { DevicesTable } from './devices-table.tsx';
import { bodyOf, faultsOf, useLiveCount } from './live-count.ts';
import { Why } from './why.tsx';
import type { Audience, Device } from '../../replies.ts';

/** Filters too long for an address are only in the page. */
function useFilters(): [readonly FilterJson[], (filters: readonly FilterJson[]) => void, string | undefined] {
  const written = place.value.query.get('filters') ?? '[]';
  const [long, setLong] = useState<readonly FilterJson[] | undefined>(undefined);
  const read = readFilters(written);
  const change = (filters: readonly FilterJson[]): void => {
    const text = writeFilters(filters);
    const isLong = text.length > ADDRESS_CHARACTERS_MAX;
    setLong(isLong ? filters : undefined);
    if (!isLong) setQuery({ filters: filters.length === 0 ? undefined : text });
  };
  return [long ?? read.filters ?? [], change, long === undefined ? read.fault : undefined];
}

export function NewAudience(): Content {
  const [filters, setFilters, fault] = useFilters();
  const { query } = place.value;
  const isJson = query.get('view') === 'json';
  const count = useLiveCount(filters);
  const isReady = areComplete(filters);
  return (
    <div class="stack audience-new">
      <header class="screen-head">
        <h1>New audience</h1>
        <div class="buttons">
          <ViewSwitch
            label="Edit it as"
            views={[
              { view: 'form', label: 'Form' },
              { view: 'json', label: 'JSON' },
            ]}
            shown={isJson ? 'json' : 'form'}
            onChoose={(view) => setQuery({ view: view === 'json' ? view : undefined }, 'push')}
          />
          <a class="button" href={appAddress('audiences')}>
            All audiences
          </a>
        </div>
      </header>
      {fault !== undefined && <Failure error={new Error(`The filters of this address cannot be read. ${fault}`)} />}
      <div class="audience-columns">
        <div class="stack">
          {isJson ? (
            <JsonEditor filters={filters} onChange={setFilters} error={count.error} />
          ) : (
            <>
              {filters.length === 0 && <Beginnings />}
              <FilterBuilder
                filters={filters}
                onChange={setFilters}
                faults={faultsOf(count.error)}
                counts={count.each}
              />
            </>
          )}
        </div>
        <aside class="stack audience-side" aria-label="Count and next steps">
          <CountPanel count={count} isEmpty={filters.length === 0} />
          <Store filters={filters} isReady={isReady} />
        </aside>
      </div>
      {isReady && <Sample key={writeFilters(filters)} filters={filters} />}
      <Why
        device={query.get('device') ?? ''}
        callFor={
          isReady
            ? (device: string) => ({
                method: 'POST',
                path: '/v6/audiences/explain',
                body: `{"filters":${writeFilters(filters)},"device_id":${JSON.stringify(device)}}`,
              })
            : undefined
        }
      />
    </div>
  );
}

/** Filters that many audiences begin with. */
const BEGINNINGS: readonly { label: string; filters: readonly FilterJson[] }[] = [
  { label: 'used in the last 7 days', filters: [{ name: 'registered_at', criteria: [{ gte: 'now-7d' }] }] },
  { label: 'not used for 30 days', filters: [{ name: 'registered_at', criteria: [{ lt: 'now-30d' }] }] },
  { label: 'with an old version of the app', filters: [{ name: 'app_version', criteria: [{ lt: '2.0' }] }] },
  { label: 'in an area of the map', filters: [{ name: 'location', criteria: [] }] },
  { label: 'on which an event happened', filters: [{ name: 'events.', criteria: [true] }] },
];

function Beginnings(): Content {
  return (
    <section class="card audience-beginnings" aria-label="Ways to begin">
      <p>An audience is all devices that match every filter. Begin with devices</p>
      <ul class="in-line">
        {BEGINNINGS.map(({ label, filters }) => (
          <li key={label}>
            <a href={appAddress('audiences/new', { filters: writeFilters(filters) })}>{label}</a>
          </li>
        ))}
      </ul>
    </section>
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
      rows={22}
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

function Store({ filters, isReady }: { filters: readonly FilterJson[]; isReady: boolean }): Content {
  const [name, setName] = useState('');
  const create = {
    method: 'POST',
    path: '/v6/audiences',
    body: `{"audience":{"name":${JSON.stringify(name)},"filters":${writeFilters(filters)}}}`,
  } as const;
  const { run, isBusy, error } = useAction<{ audience: Audience }>({
    call: create,
    onDone: ({ audience }) => {
      announce(`The audience ${audience.name} is stored.`);
      go(appAddress(`audiences/${audience.id}`));
    },
  });
  const why = may('sender') ? undefined : 'Your role in this app does not allow this: it needs the role sender.';
  return (
    <Form class="card stack" label="Store" onSubmit={run}>
      <h2>Store it</h2>
      <TextField label="Name" value={name} onInput={setName} hint={why} disabled={why !== undefined} required />
      {error !== undefined && <Failure error={error} />}
      <div class="buttons">
        <button
          class="primary"
          disabled={!isReady || name.trim() === '' || isBusy || why !== undefined}
          aria-busy={isBusy}>
          Store the audience
        </button>
        {isReady && <Curl call={create} />}
      </div>
      <p class="hint">
        Or <a href={composeAddress(filters)}>compose a notification</a> to these filters.
      </p>
    </Form>
  );
}

function composeAddress(filters: readonly FilterJson[]): string {
  return appAddress('compose', { filters: areComplete(filters) ? writeFilters(filters) : undefined });
}

function Sample({ filters }: { filters: readonly FilterJson[] }): Content {
  const [devices, setDevices] = useState<readonly Device[] | undefined>(undefined);
  const sample = { method: 'POST', path: '/v6/audiences/sample', body: bodyOf(filters) } as const;
  const { run, isBusy, error } = useAction<{ devices: readonly Device[] }>({
    call: sample,
    onDone: (reply) => setDevices(reply.devices),
  });
  return (
    <section class="card stack" aria-labelledby="audience-sample">
      <div class="screen-head">
        <h2 id="audience-sample">Sample devices</h2>
        <div class="buttons">
          <button type="button" onClick={run} disabled={isBusy} aria-busy={isBusy}>
            Show 10 devices
          </button>
          <Curl call={sample} />
        </div>
      </div>
      {error !== undefined && <Failure error={error} retry={run} />}
      {devices !== undefined &&
        (devices.length === 0 ? (
          <Empty title="No device matches" />
        ) : (
          <DevicesTable devices={devices} label="Sample devices" />
        ))}
    </section>
  );
}
