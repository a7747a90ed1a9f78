/** One stored audience: its filters in words, its devices, and why a device is in it or out. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { go, place, setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { filterWords } from '../../filter-builder/words.ts';
import { ADDRESS_CHARACTERS_MAX, writeFilters } from '../../filter-builder/filters-text.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { formatNumber } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { Id } from '../../kit/copy.tsx';
import { useAction } from '../../kit/action.tsx';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { Pages } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Total } from './count-panel.tsx';
import { DeleteAudience } from './delete-audience.tsx';
import { DevicesTable } from './devices-table.tsx';
import { bodyOf } from './live-count.ts';
import { Why } from './why.tsx';
import type { Audience, AudienceDevices, FilterCounts } from '../../replies.ts';

export function StoredAudience({ params }: { params: { audience_id: string } }): Content {
  const path = `/v6/audiences/${encodeURIComponent(params.audience_id)}`;
  const read: ApiCall = { method: 'GET', path };
  const { state, reload } = useResource((signal) => call<{ audience: Audience }>(read, signal), [path]);
  const { data, error } = state.value;
  if (data === undefined || error !== undefined) {
    return (
      <div class="stack">
        <h1>Audience</h1>
        {error === undefined ? <Loading what="Counting" /> : <Failure error={error} retry={reload} />}
      </div>
    );
  }
  const { audience } = data;
  const filters = writeFilters(audience.filters);
  const isLong = filters.length > ADDRESS_CHARACTERS_MAX;
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>
          <bdi>{audience.name}</bdi>
        </h1>
        <div class="buttons">
          <Curl call={read} />
          <a class="button primary" href={appAddress('compose', { audience: audience.id })}>
            Compose to it
          </a>
          {audience.filters.length > 0 && !isLong && (
            <a class="button" href={appAddress('audiences/new', { filters })}>
              Start another from it
            </a>
          )}
          <DeleteAudience id={audience.id} name={audience.name} onDone={() => go(appAddress('audiences'))} />
        </div>
      </header>
      <div class="audience-columns">
        <Filters audience={audience} />
        <aside class="stack audience-side" aria-label="Count">
          <section class="card audience-count" aria-label="Devices">
            <Total count={audience} />
          </section>
          <section class="card">
            <dl class="facts">
              <dt>Id</dt>
              <dd>
                <Id value={audience.id} />
              </dd>
              <dt>Created</dt>
              <dd>
                <Time at={audience.created_at} />
              </dd>
            </dl>
          </section>
        </aside>
      </div>
      <Why
        device={place.value.query.get('device') ?? ''}
        callFor={(device: string) => ({
          method: 'GET',
          path: `${path}/devices/${encodeURIComponent(device)}`,
        })}
      />
      <Devices path={path} />
    </div>
  );
}

function Filters({ audience }: { audience: Audience }): Content {
  const [counts, setCounts] = useState<FilterCounts | undefined>(undefined);
  const each: ApiCall = {
    method: 'POST',
    path: '/v6/audiences/count/filters',
    body: bodyOf(audience.filters),
  };
  const { run, isBusy, error } = useAction<FilterCounts>({ call: each, onDone: setCounts });
  if (audience.filters.length === 0) {
    return (
      <section class="card">
        <h2>Filters</h2>
        <p>None: it is every device of the app.</p>
      </section>
    );
  }
  return (
    <section class="card stack" aria-labelledby="audience-filters">
      <div class="screen-head">
        <h2 id="audience-filters">Filters</h2>
        <div class="buttons">
          <button type="button" onClick={run} disabled={isBusy} aria-busy={isBusy}>
            Count each
          </button>
          <Curl call={each} />
        </div>
      </div>
      <p class="muted">A device is in if all of these hold:</p>
      {error !== undefined && <Failure error={error} retry={run} />}
      <ol class="audience-filters">
        {audience.filters.map((filter, index) => {
          const counted = counts?.filters[index];
          return (
            <li key={index}>
              <bdi>{filterWords(filter)}</bdi>
              {counted !== undefined && (
                <span class="audience-each">
                  {shown(counted.device_count)} alone, {shown(counted.left_count)} left
                </span>
              )}
            </li>
          );
        })}
      </ol>
      <details>
        <summary>As JSON</summary>
        <JsonView value={audience.filters} label="Filters" />
      </details>
    </section>
  );
}

function shown(count: number | null): string {
  return count === null ? 'not counted in time' : formatNumber(count);
}

/** Read only when the reader asks: if few of many devices match, a page takes as long as a count. */
function Devices({ path }: { path: string }): Content {
  const cursor = place.value.query.get('devices');
  if (cursor === null) {
    return (
      <section class="card screen-head" aria-label="Devices of the audience">
        <h2>Devices</h2>
        <button type="button" onClick={() => setQuery({ devices: 'first' }, 'push')}>
          Show the devices
        </button>
      </section>
    );
  }
  return <DevicesPage key={cursor} path={path} cursor={cursor} />;
}

function DevicesPage({ path, cursor }: { path: string; cursor: string }): Content {
  const query = cursor === 'first' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
  const read: ApiCall = { method: 'GET', path: `${path}/devices${query}` };
  const { state, reload } = useResource((signal) => call<AudienceDevices>(read, signal), [read.path]);
  const { data, error } = state.value;
  return (
    <section class="card stack" aria-label="Devices of the audience">
      <div class="screen-head">
        <h2>Devices</h2>
        <div class="buttons">
          <Pages parameter="devices" first="first" next={data?.meta.cursor ?? null} />
          <Curl call={read} />
        </div>
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined &&
        (data.devices.length === 0 ? (
          <Empty title={cursor === 'first' ? 'No device is in it now' : 'No more devices'} />
        ) : (
          <DevicesTable devices={data.devices} label="Devices of the audience" />
        ))}
    </section>
  );
}
