/** One stored audience: its filters in words, its devices, and why a device is in it or out. */
import { useState } from 'preact/hooks';
import { ADDRESS_CHARACTERS_MAX, writeFilters } from '../../filter-builder/filters-text.ts';
import { type ApiCall, call } from '../../frame/api.ts';
import { place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { useResource } from '../../kit/resource.ts';
import { Waiting } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Audience, FilterCounts } from '../../replies.ts';
import { DeleteDialog } from './delete-audience.tsx';
import { Total } from './editor.tsx';
import { FilterList } from './filter-list.tsx';
import { isNamed, nameOf } from './kind.ts';
import { bodyOf, EACH_PATH } from './live-count.ts';
import { Sample } from './sample.tsx';
import { EditAudience, RenameDialog } from './save-audience.tsx';
import { Why } from './why.tsx';

export function StoredAudience({ params }: { params: { audience_id: string } }) {
  const path = `/v6/audiences/${encodeURIComponent(params.audience_id)}`;
  const read: ApiCall = { method: 'GET', path };
  const { state, reload } = useResource((signal) => call<{ audience: Audience }>(read, signal), [path]);
  const { data, error } = state.value;
  if (data === undefined || error !== undefined) {
    return (
      <div class="stack">
        <h1>Audience</h1>
        <Waiting of={state.value} retry={reload} what="Counting" />
      </div>
    );
  }
  const { audience } = data;
  const { created_at: made, updated_at: changed } = audience;
  if (place.value.query.get('edit') !== null && may('sender') && isNamed(audience)) {
    const leave = (): void => {
      setQuery({ edit: undefined, filters: undefined, device: undefined }, 'push');
      reload();
    };
    return <EditAudience key={changed} audience={audience} onDone={leave} />;
  }
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>
          <bdi>{nameOf(audience)}</bdi>
        </h1>
        <Curl call={read} />
        <ForDevelopers title="Audience">
          <JsonView value={audience} label="Audience" />
        </ForDevelopers>
        {may('sender') && <Actions audience={audience} reload={reload} />}
      </header>
      <div class="audience-columns">
        <Filters audience={audience} />
        <aside class="stack audience-side" aria-label="Count">
          <section class="audience-count" aria-label="Devices">
            <Total count={audience} />
          </section>
          <p class="muted">
            Made <TimeAgo at={made} />
            {changed !== made && [', changed ', <TimeAgo key={changed} at={changed} />]}
          </p>
        </aside>
      </div>
      <Why callFor={(device) => ({ method: 'GET', path: `${path}/devices/${encodeURIComponent(device)}` })} />
      {audience.filters.length > 0 && <Sample filters={audience.filters} />}
    </div>
  );
}

function Actions({ audience, reload }: { audience: Audience; reload: () => void }) {
  const [dialog, setDialog] = useState<'rename' | 'delete' | undefined>(undefined);
  const filters = writeFilters(audience.filters);
  return (
    <div class="buttons">
      {isNamed(audience) && (
        <>
          <button type="button" onClick={() => setQuery({ edit: 'yes' }, 'push')}>
            Edit
          </button>
          <button type="button" onClick={() => setDialog('rename')}>
            Rename
          </button>
        </>
      )}
      {audience.filters.length > 0 && filters.length <= ADDRESS_CHARACTERS_MAX && (
        <a class="button" href={appAddress('audiences/new', { filters })}>
          Duplicate
        </a>
      )}
      {isNamed(audience) && (
        <button type="button" class="danger" onClick={() => setDialog('delete')}>
          Delete
        </button>
      )}
      <a class="button primary" href={appAddress('compose', { audience: audience.id })}>
        Compose
      </a>
      {dialog === 'delete' && <DeleteDialog audience={audience} onClose={() => setDialog(undefined)} />}
      {dialog === 'rename' && (
        <RenameDialog
          audience={audience}
          onDone={() => {
            setDialog(undefined);
            reload();
          }}
        />
      )}
    </div>
  );
}

function Filters({ audience: { filters } }: { audience: Audience }) {
  const each: ApiCall = { method: 'POST', path: EACH_PATH, body: bodyOf(filters) };
  const { state } = useResource(
    async (signal) => (filters.length === 0 ? undefined : call<FilterCounts>(each, signal)),
    [each.body],
  );
  if (filters.length === 0) return <p>Every device of the app is in it.</p>;
  return (
    <section class="stack" aria-labelledby="audience-filters">
      <h2 id="audience-filters">A device is in it if all of these hold</h2>
      <Curl call={each} />
      <FilterList filters={filters} counts={state.value.data?.filters} />
    </section>
  );
}
