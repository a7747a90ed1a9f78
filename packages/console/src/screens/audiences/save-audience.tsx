/** Builds a new audience, and changes the name or the filters of a stored one: if somebody else was faster, it shows what they have made of it. */
import { useState } from 'preact/hooks';
import { areComplete, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { type ApiCall, ApiFailure, call } from '../../frame/api.ts';
import { go } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { ActionForm, LinkButton } from '../../kit/action.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/form.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Audience, OneAudience } from '../../replies.ts';
import { FilterList } from './audience.tsx';
import { AudienceEditor, useFilters } from './editor.tsx';

const NOTHING: readonly FilterJson[] = [];

interface EditProps {
  audience: Audience;
  /** Also called when the reader leaves without saving. */
  onDone: () => void;
}

export function NewAudience() {
  return <BuildAudience />;
}

export function BuildAudience({ audience, onDone }: Partial<EditProps>) {
  const edited = useFilters(audience?.filters ?? NOTHING);
  const { filters } = edited;
  const isReady = areComplete(filters);
  const { form, field, theirs } = useSave(audience, filters);
  const change = theirs === undefined ? 'Save changes' : 'Replace theirs';
  const further =
    audience === undefined ? (
      isReady && (
        <LinkButton label="Compose without saving" href={appAddress('compose', { filters: writeFilters(filters) })} />
      )
    ) : (
      <button type="button" onClick={onDone}>
        {theirs === undefined ? 'Cancel' : 'Keep theirs'}
      </button>
    );
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>{audience === undefined ? 'New audience' : ['Edit ', <bdi key="name">{audience.name}</bdi>]}</h1>
        {audience === undefined && <LinkButton label="All audiences" href={appAddress('audiences')} />}
      </header>
      <AudienceEditor edited={edited}>
        {may('sender') && (
          <ActionForm
            {...form}
            name="Save"
            label={audience === undefined ? 'Save the audience' : change}
            isComplete={form.isComplete && isReady}
            onDone={({ audience: { id } }: OneAudience) =>
              onDone === undefined ? go(appAddress(`audiences/${id}`)) : onDone()
            }
            further={further}>
            {field}
            {audience !== undefined && (
              <p class="hint">
                Notifications that are scheduled go to the audience as it is when they are due; those that are being
                sent stay as they are.
              </p>
            )}
          </ActionForm>
        )}
      </AudienceEditor>
    </div>
  );
}

export function RenameDialog({ audience, onDone }: EditProps) {
  const { form, field, theirs } = useSave(audience);
  const back = (
    <button type="button" onClick={onDone}>
      {theirs === undefined ? 'Back' : 'Keep theirs'}
    </button>
  );
  return (
    <Dialog title="Rename the audience" onClose={onDone}>
      <ActionForm {...form} label="Rename" back={back} onDone={onDone}>
        {field}
      </ActionForm>
    </Dialog>
  );
}

/**
 * @param audience undefined: a new one
 * @param filters undefined: those that are stored stay, also if they are theirs
 * @returns for an `ActionForm`, and the field of the name; `theirs` is what somebody else has made of it, which the next save replaces
 */
function useSave(audience: Audience | undefined, filters?: readonly FilterJson[]) {
  const [name, setName] = useState(audience?.name ?? '');
  const [theirs, setTheirs] = useState<Audience | undefined>(undefined);
  const base = theirs ?? audience;
  const path = base === undefined ? '/v6/audiences' : `/v6/audiences/${encodeURIComponent(base.id)}`;
  const written = `"audience":{"name":${JSON.stringify(name)},"filters":${writeFilters(filters ?? base?.filters ?? [])}}`;
  const put: ApiCall =
    base === undefined
      ? { method: 'POST', path, body: `{${written}}` }
      : { method: 'PUT', path, body: `{${written},"if_updated_at":${JSON.stringify(base.updated_at)}}` };
  const onRefused = async (refusal: unknown): Promise<boolean> => {
    if (!(refusal instanceof ApiFailure) || refusal.code !== 'audience_changed') return false;
    const read = await call<OneAudience>({ method: 'GET', path }).catch(() => undefined);
    setTheirs(read?.audience ?? theirs);
    return read !== undefined;
  };
  const form = { call: put, done: `The audience ${name} is saved.`, isComplete: name.trim() !== '', onRefused };
  const field = (
    <>
      <TextField label="Name" value={name} onInput={setName} autofocus={filters === undefined} required />
      {theirs !== undefined && (
        <div class="note warn stack close" role="alert">
          <p>
            Somebody else changed this audience <TimeAgo at={theirs.updated_at} />. Theirs is called{' '}
            <strong dir="auto">{theirs.name}</strong>
            {theirs.filters.length > 0 && ' and has these filters:'}
          </p>
          <FilterList filters={theirs.filters} />
        </div>
      )}
    </>
  );
  return { form, field, theirs };
}
