/** One stored audience: its filters in words, its devices, and why a device is in it or out. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { go, place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { ADDRESS_CHARACTERS_MAX, writeFilters } from '../../filter-builder/filters-text.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import type { Content } from '../../kit/content.ts';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { useResource } from '../../kit/resource.ts';
import { Waiting } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { Total } from './count-panel.tsx';
import { DeleteAudience } from './delete-audience.tsx';
import { EditAudience, RenameDialog } from './edit-audience.tsx';
import { FilterList } from './filter-list.tsx';
import { Sample } from './editor.tsx';
import { isNamed, nameOf } from './kind.ts';
import { bodyOf, EACH_PATH } from './live-count.ts';
import { Why } from './why.tsx';
import type { Audience, FilterCounts } from '../../replies.ts';

export function StoredAudience({ params }: { params: { audience_id: string } }): Content {
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
  if (place.value.query.get('edit') !== null && may('sender') && isNamed(audience)) {
    const leave = (): void => {
      setQuery({ edit: undefined, filters: undefined, device: undefined }, 'push');
      reload();
    };
    return <EditAudience key={audience.updated_at} audience={audience} onDone={leave} />;
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
            Made <TimeAgo at={audience.created_at} />
            {audience.updated_at !== audience.created_at && (
              <>
                , changed <TimeAgo at={audience.updated_at} />
              </>
            )}
          </p>
        </aside>
      </div>
      <Why
        device={place.value.query.get('device') ?? ''}
        callFor={(device: string) => ({
          method: 'GET',
          path: `${path}/devices/${encodeURIComponent(device)}`,
        })}
      />
      {audience.filters.length > 0 && <Sample filters={audience.filters} />}
    </div>
  );
}

function Actions({ audience, reload }: { audience: Audience; reload: () => void }): Content {
  const [isRenaming, setRenaming] = useState(false);
  const filters = writeFilters(audience.filters);
  return (
    <div class="buttons">
      {isNamed(audience) && (
        <>
          <button type="button" onClick={() => setQuery({ edit: 'yes' }, 'push')}>
            Edit
          </button>
          <button type="button" onClick={() => setRenaming(true)}>
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
        <DeleteAudience id={audience.id} name={audience.name} onDone={() => go(appAddress('audiences'))} />
      )}
      <a class="button primary" href={appAddress('compose', { audience: audience.id })}>
        Compose
      </a>
      {isRenaming && (
        <RenameDialog
          audience={audience}
          onDone={() => {
            setRenaming(false);
            reload();
          }}
        />
      )}
    </div>
  );
}

function Filters({ audience }: { audience: Audience }): Content {
  const { filters } = audience;
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
