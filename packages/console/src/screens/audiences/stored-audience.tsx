/** One stored audience: its filters in words, its devices, and why a device is in it or out. */
import { useState } from 'preact/hooks';
import { ADDRESS_CHARACTERS_MAX, writeFilters } from '../../filter-builder/filters-text.ts';
import { go, place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { ActionDialog, LinkButton } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { useReply, Waiting } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Audience, AudienceUses, FilterCounts, OneAudience } from '../../replies.ts';
import { FilterList, isNamed, nameOf } from './audience.tsx';
import { bodyOf, EACH_PATH } from './counts.ts';
import { Sample, Why } from './devices.tsx';
import { Total } from './editor.tsx';
import { BuildAudience, RenameDialog } from './save-audience.tsx';

export function StoredAudience({ params }: { params: { audience_id: string } }) {
  const path = `/v6/audiences/${encodeURIComponent(params.audience_id)}`;
  const read = useReply<OneAudience>({ method: 'GET', path });
  const { data, error, reload } = read;
  if (data === undefined || error !== undefined) {
    return (
      <div class="stack">
        <h1>Audience</h1>
        <Waiting of={read} what="Counting" />
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
    return <BuildAudience key={changed} audience={audience} onDone={leave} />;
  }
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>
          <bdi>{nameOf(audience)}</bdi>
        </h1>
        <Curl call={read.request} />
        <ForDevelopers title="Audience">
          <JsonView value={audience} label="Audience" />
        </ForDevelopers>
        {may('sender') && <Actions audience={audience} reload={reload} />}
      </header>
      <div class="columns audience-columns">
        {audience.filters.length === 0 ? (
          <p>Every device of the app is in it.</p>
        ) : (
          <Filters filters={audience.filters} />
        )}
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
        <LinkButton label="Duplicate" href={appAddress('audiences/new', { filters })} />
      )}
      {isNamed(audience) && (
        <button type="button" class="danger" onClick={() => setDialog('delete')}>
          Delete
        </button>
      )}
      <LinkButton label="Compose" href={appAddress('compose', { audience: audience.id })} kind="primary" />
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

function Filters({ filters }: Pick<Audience, 'filters'>) {
  const each = useReply<FilterCounts>({ method: 'POST', path: EACH_PATH, body: bodyOf(filters) });
  return (
    <section class="stack" aria-labelledby="audience-filters">
      <h2 id="audience-filters">A device is in it if all of these hold</h2>
      <Curl call={each.request} />
      <FilterList filters={filters} counts={each.data?.filters} />
    </section>
  );
}

/** Deletes an audience, after it has shown which notifications still need it. */
function DeleteDialog({ audience: { id, name }, onClose }: { audience: Audience; onClose: () => void }) {
  const path = `/v6/audiences/${encodeURIComponent(id)}`;
  const read = useReply<AudienceUses>({ method: 'GET', path: `${path}/uses` });
  const uses = read.data?.notifications;
  return (
    <ActionDialog
      title="Delete this audience?"
      label="Delete"
      kind="danger"
      call={{ method: 'DELETE', path }}
      isComplete={uses?.length === 0}
      done={`The audience ${name} is deleted.`}
      onDone={() => go(appAddress('audiences'))}
      onClose={onClose}>
      <p>
        <strong dir="auto">{name}</strong> can no longer be read or targeted. Notifications that were sent to it stay.
      </p>
      <Waiting of={read} what="Looking for notifications to it" />
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
    </ActionDialog>
  );
}
