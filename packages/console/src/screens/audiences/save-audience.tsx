/** Builds a new audience, and changes the name or the filters of a stored one: if somebody else was faster, it shows what they have made of it. */
import { useState } from 'preact/hooks';
import { areComplete, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { type ApiCall, ApiFailure, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { go } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import { Failure } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Audience } from '../../replies.ts';
import { AudienceEditor, useFilters } from './editor.tsx';
import { FilterList } from './filter-list.tsx';

const NOTHING: readonly FilterJson[] = [];

export function NewAudience() {
  return <BuildAudience onDone={({ id }) => go(appAddress(`audiences/${id}`))} />;
}

interface EditProps {
  audience: Audience;
  /** Also called when the reader leaves without saving. */
  onDone: () => void;
}

export function EditAudience({ audience, onDone }: EditProps) {
  return <BuildAudience audience={audience} onDone={onDone} onCancel={onDone} />;
}

function BuildAudience(props: { audience?: Audience; onDone: (saved: Audience) => void; onCancel?: () => void }) {
  const { audience, onCancel } = props;
  const edited = useFilters(audience?.filters ?? NOTHING);
  const { filters } = edited;
  const save = useSave({ ...props, filters });
  const isReady = areComplete(filters);
  const change = save.theirs === undefined ? 'Save changes' : 'Replace theirs';
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>{audience === undefined ? 'New audience' : ['Edit ', <bdi key="name">{audience.name}</bdi>]}</h1>
        {audience === undefined && (
          <a class="button" href={appAddress('audiences')}>
            All audiences
          </a>
        )}
      </header>
      <AudienceEditor edited={edited}>
        {may('sender') && (
          <Form class="stack" label="Save" onSubmit={save.run}>
            <NameField save={save} />
            {audience !== undefined && (
              <p class="hint">
                Notifications that are scheduled go to the audience as it is when they are due; those that are being
                sent stay as they are.
              </p>
            )}
            <div class="buttons">
              <SaveButton
                save={save}
                label={audience === undefined ? 'Save the audience' : change}
                disabled={!isReady}
              />
              {audience === undefined && isReady && (
                <a class="button" href={appAddress('compose', { filters: writeFilters(filters) })}>
                  Compose without saving
                </a>
              )}
              {onCancel !== undefined && (
                <button type="button" onClick={onCancel}>
                  {save.theirs === undefined ? 'Cancel' : 'Keep theirs'}
                </button>
              )}
            </div>
          </Form>
        )}
      </AudienceEditor>
    </div>
  );
}

export function RenameDialog({ audience, onDone }: EditProps) {
  const save = useSave({ audience, onDone });
  return (
    <Dialog title="Rename the audience" onClose={onDone}>
      <Form onSubmit={save.run}>
        <NameField save={save} autofocus />
        <footer>
          <button type="button" onClick={onDone}>
            {save.theirs === undefined ? 'Back' : 'Keep theirs'}
          </button>
          <SaveButton save={save} label="Rename" />
        </footer>
      </Form>
    </Dialog>
  );
}

type Save = ReturnType<typeof useSave>;

/**
 * @param wanted.audience undefined: a new one
 * @param wanted.filters undefined: those that are stored stay, also if they are theirs
 */
function useSave(wanted: { audience?: Audience; filters?: readonly FilterJson[]; onDone: (saved: Audience) => void }) {
  const { audience, filters, onDone } = wanted;
  const [name, setName] = useState(audience?.name ?? '');
  /** What somebody else has made of it since it was read. The next `run` replaces that. */
  const [theirs, setTheirs] = useState<Audience | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const base = theirs ?? audience;
  const path = base === undefined ? '/v6/audiences' : `/v6/audiences/${encodeURIComponent(base.id)}`;
  const written = `"audience":{"name":${JSON.stringify(name)},"filters":${writeFilters(filters ?? base?.filters ?? [])}}`;
  const put: ApiCall =
    base === undefined
      ? { method: 'POST', path, body: `{${written}}` }
      : { method: 'PUT', path, body: `{${written},"if_updated_at":${JSON.stringify(base.updated_at)}}` };
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const saved = await call<{ audience: Audience }>(put);
      announce(`The audience ${name} is saved.`);
      onDone(saved.audience);
    } catch (failure) {
      const isChanged = failure instanceof ApiFailure && failure.code === 'audience_changed';
      setError(isChanged ? undefined : failure);
      if (isChanged) setTheirs((await call<{ audience: Audience }>({ method: 'GET', path })).audience);
    } finally {
      setBusy(false);
    }
  };
  return { call: put, run, isBusy, error, theirs, name, setName };
}

/** The name, and why it is not saved yet. */
function NameField({ save, autofocus = false }: { save: Save; autofocus?: boolean }) {
  const { name, setName, error, theirs } = save;
  return (
    <>
      <TextField label="Name" value={name} onInput={setName} autofocus={autofocus} required />
      {error !== undefined && <Failure error={error} />}
      {theirs !== undefined && (
        <div class="audience-theirs" role="alert">
          <p>
            Somebody else changed this audience <TimeAgo at={theirs.updated_at} />. Theirs is called{' '}
            <strong dir="auto">{theirs.name}</strong>
            {theirs.filters.length > 0 && ' and has these filters:'}
          </p>
          <FilterList filters={theirs.filters} counts={undefined} />
        </div>
      )}
    </>
  );
}

function SaveButton({ save, label, disabled = false }: { save: Save; label: string; disabled?: boolean }) {
  const { call: request, name, isBusy } = save;
  return (
    <>
      <button class="primary" disabled={disabled || name.trim() === '' || isBusy} aria-busy={isBusy}>
        {label}
      </button>
      {!disabled && <Curl call={request} />}
    </>
  );
}
