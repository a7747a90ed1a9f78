/** The recipients of a notification. */
import { useId } from 'preact/hooks';
import { FilterBuilder } from '../../filter-builder/filter-builder.tsx';
import { areComplete, readFilters } from '../../filter-builder/filters-text.ts';
import { call } from '../../frame/api.ts';
import { Select, TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { change } from './draft/draft.ts';
import { type JsonObject, withMember } from './draft/members.ts';
import { faultAt } from './preview.ts';
import { emptyTarget, TARGET_WORDS, targetOf, type TargetKind } from './draft/target.ts';
import type { ListedAudience } from '../../replies.ts';
import type { Refusal } from '../../tray/preview-reply.ts';

const HINTS = {
  everyone: 'All devices of the app',
  audience: 'One that is stored',
  filters: 'Chosen for this one',
  device: 'By its id',
  user: 'All devices of theirs',
} as const;
const KINDS = ['everyone', 'audience', 'filters', 'device', 'user'] as const;

export function TargetForm(props: { notification: JsonObject; refusal: Refusal | undefined }): Content {
  const { notification, refusal } = props;
  const target = targetOf(notification['to']);
  const name = useId();
  // A new target comes first in the JSON.
  const set = (to: unknown): void => change(withMember({ to, ...notification }, 'to', to));
  const choose = (kind: TargetKind): void => {
    if (kind !== target.kind) set(emptyTarget(kind));
  };
  const fault = target.kind === 'none' ? undefined : faultAt(refusal, 'to');
  return (
    <fieldset class="compose-fields">
      <legend class="visually-hidden">Recipients</legend>
      <div class="compose-choices">
        {KINDS.map((kind) => (
          <label key={kind}>
            <input
              type="radio"
              name={name}
              aria-label={TARGET_WORDS[kind]}
              checked={target.kind === kind}
              onChange={() => choose(kind)}
            />
            <span>{TARGET_WORDS[kind]}</span>
            <span class="hint">{HINTS[kind]}</span>
          </label>
        ))}
      </div>
      {target.kind === 'audience' && (
        <AudienceField id={target.id} error={refusal?.code === 'not_found' ? refusal.error : fault} set={set} />
      )}
      {target.kind === 'filters' && <FiltersField filters={target.filters} refusal={refusal} set={set} />}
      {target.kind === 'device' && (
        <TextField
          label="Id of the device"
          code
          value={target.id}
          error={faultAt(refusal, 'to.device_id') ?? fault}
          onInput={(id) => set({ device_id: id.trim() })}
        />
      )}
      {target.kind === 'user' && (
        <TextField
          label="Id of the user"
          hint="The user_id that the app gives to its devices."
          code
          value={target.id}
          error={faultAt(refusal, 'to.user_id') ?? fault}
          onInput={(id) => set({ user_id: id })}
        />
      )}
      {target.kind === 'other' && (
        <p class="fault">This target can be changed only as JSON{fault !== undefined && <>: it {fault}</>}.</p>
      )}
    </fieldset>
  );
}

function AudienceField(props: { id: string; error: string | undefined; set: (to: unknown) => void }): Content {
  const { id, error, set } = props;
  const { state } = useResource(
    (signal) =>
      call<{ audiences: ListedAudience[] }>({ method: 'GET', path: '/v6/audiences?kind=named&per=100' }, signal),
    [],
  );
  const named = state.value.data?.audiences ?? [];
  const isKnown = named.some((audience) => audience.id === id);
  const options = [
    { value: '', label: state.value.isLoading ? 'Loading …' : 'Choose an audience' },
    ...named.map((audience) => ({ value: audience.id, label: audience.name })),
    ...(id === '' || isKnown ? [] : [{ value: id, label: id }]),
  ];
  return (
    <div class="compose-pair">
      <Select label="Audience" value={id} options={options} onChange={(chosen) => set({ audience: chosen })} />
      <TextField
        label="Or its id"
        code
        value={id}
        error={id === '' ? undefined : error}
        onInput={(written) => set({ audience: written.trim() })}
      />
    </div>
  );
}

function FiltersField(props: {
  filters: readonly unknown[];
  refusal: Refusal | undefined;
  set: (to: unknown) => void;
}): Content {
  const { filters, refusal, set } = props;
  const read = readFilters(JSON.stringify(filters));
  if (read.filters === undefined) {
    return <p class="fault">These filters can be changed only as JSON. {read.fault}</p>;
  }
  return (
    <FilterBuilder
      filters={read.filters}
      faults={areComplete(read.filters) ? faultsOf(refusal) : []}
      onChange={(changed) => set(changed)}
    />
  );
}

const LIST = /^notification\.to(?=\[)/;

function faultsOf(refusal: Refusal | undefined): { path: string; message: string }[] {
  return (refusal?.details ?? [])
    .filter(({ path }) => LIST.test(path))
    .map(({ path, message }) => ({ path: path.replace(LIST, ''), message }));
}
