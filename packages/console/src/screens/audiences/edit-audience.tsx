/** Changes the name or the filters of a stored audience; if somebody else was faster, it shows what they have made of it. */
import { useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { areComplete, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { Failure } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { AudienceEditor } from './editor.tsx';
import { useFilters } from './filters-state.ts';
import { FilterList } from './filter-list.tsx';
import type { Audience } from '../../replies.ts';

interface EditProps {
  audience: Audience;
  onDone: () => void;
}

/** @param props.onDone also called when the reader leaves without saving */
export function EditAudience({ audience, onDone }: EditProps): Content {
  const edited = useFilters(audience.filters);
  const [name, setName] = useState(audience.name);
  const save = useSave({ audience, name, filters: edited.filters, onDone });
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>
          Edit <bdi>{audience.name}</bdi>
        </h1>
      </header>
      <AudienceEditor edited={edited}>
        <Form class="stack" label="Save" onSubmit={save.run}>
          <TextField label="Name" value={name} onInput={setName} required />
          <p class="hint">
            Notifications that are scheduled go to the audience as it is when they are due; those that are being sent
            stay as they are.
          </p>
          <Outcome save={save} />
          <div class="buttons">
            <button
              class="primary"
              disabled={!areComplete(edited.filters) || name.trim() === '' || save.isBusy}
              aria-busy={save.isBusy}>
              {save.theirs === undefined ? 'Save changes' : 'Replace theirs'}
            </button>
            <button type="button" onClick={onDone}>
              {save.theirs === undefined ? 'Cancel' : 'Keep theirs'}
            </button>
            <Curl call={save.call} />
          </div>
        </Form>
      </AudienceEditor>
    </div>
  );
}

export function RenameDialog({ audience, onDone }: EditProps): Content {
  const [name, setName] = useState(audience.name);
  const save = useSave({ audience, name, filters: undefined, onDone });
  return (
    <Dialog title="Rename the audience" onClose={onDone}>
      <Form onSubmit={save.run}>
        <TextField label="Name" value={name} onInput={setName} autofocus required />
        <Outcome save={save} />
        <footer>
          <Curl call={save.call} />
          <button type="button" onClick={onDone}>
            {save.theirs === undefined ? 'Back' : 'Keep theirs'}
          </button>
          <button class="primary" disabled={name.trim() === '' || save.isBusy} aria-busy={save.isBusy}>
            Rename
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

interface Save {
  call: ApiCall;
  run: () => Promise<void>;
  isBusy: boolean;
  error: unknown;
  /** What somebody else has made of it since it was read. The next `run` replaces that. */
  theirs: Audience | undefined;
}

/** @param wanted.filters undefined: those that are stored stay, also if they are theirs */
function useSave(wanted: EditProps & { name: string; filters: readonly FilterJson[] | undefined }): Save {
  const { audience, name, filters, onDone } = wanted;
  const [theirs, setTheirs] = useState<Audience | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const base = theirs ?? audience;
  const path = `/v6/audiences/${encodeURIComponent(audience.id)}`;
  const put: ApiCall = {
    method: 'PUT',
    path,
    body:
      `{"audience":{"name":${JSON.stringify(name)},"filters":${writeFilters(filters ?? base.filters)}},` +
      `"if_updated_at":${JSON.stringify(base.updated_at)}}`,
  };
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await call(put);
      announce(`The audience ${name} is saved.`);
      onDone();
    } catch (failure) {
      const isChanged = failure instanceof ApiFailure && failure.code === 'audience_changed';
      setError(isChanged ? undefined : failure);
      if (isChanged) setTheirs((await call<{ audience: Audience }>({ method: 'GET', path })).audience);
    } finally {
      setBusy(false);
    }
  };
  return { call: put, run, isBusy, error, theirs };
}

/** Why it is not saved yet. */
function Outcome({ save: { error, theirs } }: { save: Save }): Content {
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      {theirs !== undefined && (
        <div class="audience-theirs" role="alert">
          <p>
            Somebody else changed this audience <TimeAgo at={theirs.updated_at} />. Theirs is called{' '}
            <strong>
              <bdi>{theirs.name}</bdi>
            </strong>
            {theirs.filters.length > 0 && ' and has these filters:'}
          </p>
          <FilterList filters={theirs.filters} counts={undefined} />
        </div>
      )}
    </>
  );
}
