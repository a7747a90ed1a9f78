/** One stored audience: its filters in words, its devices, and why a device is in it or out. */
import { useState } from 'preact/hooks';
import { ADDRESS_CHARACTERS_MAX, writeFilters } from '../../filter-builder/filters-text.ts';
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { go, place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Failure, useResource, Waiting } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Audience, AudienceUse, FilterCounts } from '../../replies.ts';
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

/** Deletes an audience, after it has shown which notifications still need it. */
function DeleteDialog({ audience, onClose }: { audience: Audience; onClose: () => void }) {
  const { id, name } = audience;
  const path = `/v6/audiences/${encodeURIComponent(id)}`;
  const remove: ApiCall = { method: 'DELETE', path };
  const { state, reload } = useResource(
    (signal) => call<{ notifications: readonly AudienceUse[] }>({ method: 'GET', path: `${path}/uses` }, signal),
    [path],
  );
  const { run, isBusy, error } = useAction<undefined>({
    call: remove,
    onDone: () => {
      announce(`The audience ${name} is deleted.`);
      go(appAddress('audiences'));
    },
  });
  const uses = state.value.data?.notifications;
  return (
    <Dialog title="Delete this audience?" onClose={onClose}>
      <p>
        <strong dir="auto">{name}</strong> can no longer be read or targeted. Notifications that were sent to it stay.
      </p>
      <Waiting of={state.value} retry={reload} what="Looking for notifications to it" />
      {uses !== undefined && uses.length > 0 && (
        <>
          <p>It cannot be deleted yet: these notifications need it. Cancel them, or wait until they have ended.</p>
          <ul>
            {uses.map(({ id: notification, state: present, due_at: due }) => (
              <li key={notification}>
                <a href={appAddress(`notifications/${notification}`)}>
                  <code>{notification}</code>
                </a>{' '}
                {present === 'scheduled' ? 'is due' : 'has been sent since'} <TimeAgo at={due} />
              </li>
            ))}
          </ul>
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      <footer>
        <Curl call={remove} />
        <button type="button" onClick={onClose}>
          Back
        </button>
        <button type="button" class="danger" disabled={isBusy || uses?.length !== 0} onClick={run}>
          Delete
        </button>
      </footer>
    </Dialog>
  );
}
