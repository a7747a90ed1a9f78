/** The recipients of a notification. */
import { useId } from 'preact/hooks';
import { call } from '../../../frame/api.ts';
import { Select, TextField } from '../../../kit/form.tsx';
import type { Content } from '../../../kit/content.ts';
import { useResource } from '../../../kit/resource.ts';
import { type Counted, CountLine } from '../count.tsx';
import { change } from '../draft/draft.ts';
import { FiltersField } from './filters-field.tsx';
import { type JsonObject, withMember } from '../draft/members.ts';
import { faultAt } from '../preview.ts';
import { emptyTarget, targetOf, type TargetKind } from '../draft/target.ts';
import type { ListedAudience } from '../../../replies.ts';
import type { Refusal } from '../../../tray/preview-reply.ts';

const KINDS: readonly { kind: TargetKind; label: string }[] = [
  { kind: 'everyone', label: 'Everyone' },
  { kind: 'audience', label: 'An audience' },
  { kind: 'filters', label: 'Filters' },
  { kind: 'device', label: 'One device' },
  { kind: 'user', label: 'One user' },
];

export function TargetForm(props: {
  notification: JsonObject;
  refusal: Refusal | undefined;
  counted: Counted;
}): Content {
  const { notification, refusal, counted } = props;
  const target = targetOf(notification['to']);
  const name = useId();
  // A new target comes first in the JSON.
  const set = (to: unknown): void => change(withMember({ to, ...notification }, 'to', to));
  const choose = (kind: TargetKind): void => {
    if (kind !== target.kind) set(emptyTarget(kind));
  };
  const fault = target.kind === 'none' ? undefined : faultAt(refusal, 'to');
  return (
    <fieldset class="card compose-target">
      <legend>
        <h2>Recipients</h2>
      </legend>
      <div class="in-line">
        {KINDS.map(({ kind, label }) => (
          <label class="check" key={kind}>
            <input type="radio" name={name} checked={target.kind === kind} onChange={() => choose(kind)} />
            <span>{label}</span>
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
      <CountLine counted={counted} />
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
