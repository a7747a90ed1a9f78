import { useId } from 'preact/hooks';
import { FilterBuilder } from '../../filter-builder/filter-builder.tsx';
import { areComplete, readFilters } from '../../filter-builder/filters-text.ts';
import { addressOf } from '../../frame/router.ts';
import { Select, TextField } from '../../kit/form.tsx';
import { useReply } from '../../kit/states.tsx';
import { TwoLines } from '../../kit/table.tsx';
import type { ListedAudience } from '../../replies.ts';
import { change } from './draft/draft.ts';
import { withMember } from './draft/members.ts';
import { TARGETS, targetOf } from './draft/target.ts';
import { useWritten } from './form.tsx';

export function TargetForm() {
  const { notification, refusal, faultAt } = useWritten();
  const target = targetOf(notification['to']);
  const name = useId();
  // A new target comes first in the JSON.
  const set = (to: unknown): void => change(withMember({ to, ...notification }, 'to', to));
  const fault = target.kind === 'none' ? undefined : faultAt('to');
  return (
    <fieldset class="stack">
      <legend class="visually-hidden">Recipients</legend>
      <div class="compose-choices">
        {TARGETS.map(({ kind, label, hint, to }) => (
          <label key={kind} class="check">
            <input
              type="radio"
              name={name}
              aria-label={label}
              checked={target.kind === kind}
              onChange={() => target.kind !== kind && set(to)}
            />
            <TwoLines name={label} text={hint} />
          </label>
        ))}
      </div>
      {target.kind === 'audience' && (
        <AudienceField id={target.id} error={refusal?.code === 'not_found' ? refusal.error : fault} set={set} />
      )}
      {target.kind === 'filters' && <FiltersField filters={target.filters} set={set} />}
      {(target.kind === 'device' || target.kind === 'user') && (
        <TextField
          label={`Id of the ${target.kind}`}
          hint={target.kind === 'user' ? 'The user_id that the app gives to its devices.' : undefined}
          code
          value={target.id}
          error={faultAt(`to.${target.kind}_id`) ?? fault}
          onInput={(id) => set(target.kind === 'user' ? { user_id: id } : { device_id: id.trim() })}
        />
      )}
      {target.kind === 'other' && (
        <p class="fault">This target can be changed only as JSON{fault !== undefined && <>: it {fault}</>}.</p>
      )}
    </fieldset>
  );
}

const LISTED_MAX = 100;

function AudienceField(props: { id: string; error: string | undefined; set: (to: unknown) => void }) {
  const { id, error, set } = props;
  const path = addressOf('/v6/audiences', { kind: 'named', per: LISTED_MAX });
  const { data, isLoading } = useReply<{ audiences: ListedAudience[] }>({ method: 'GET', path });
  const named = data?.audiences ?? [];
  const options = [
    { value: '', label: isLoading ? 'Loading …' : 'Choose an audience' },
    ...named.map((audience) => ({ value: audience.id, label: audience.name })),
  ];
  const isKnown = options.some(({ value }) => value === id);
  return (
    <div class="compose-pair">
      <Select
        label="Audience"
        value={id}
        options={isKnown ? options : [...options, { value: id, label: id }]}
        onChange={(audience) => set({ audience })}
        {...(named.length === LISTED_MAX && { hint: `The ${LISTED_MAX} newest; others by their ids.` })}
      />
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

const LIST = /^notification\.to(?=\[)/;

function FiltersField({ filters, set }: { filters: readonly unknown[]; set: (to: unknown) => void }) {
  const { refusal } = useWritten();
  const read = readFilters(JSON.stringify(filters));
  if (read.filters === undefined) {
    return <p class="fault">These filters can be changed only as JSON. {read.fault}</p>;
  }
  const faults = (refusal?.details ?? [])
    .filter(({ path }) => LIST.test(path))
    .map(({ path, message }) => ({ path: path.replace(LIST, ''), message }));
  return <FilterBuilder filters={read.filters} faults={areComplete(read.filters) ? faults : []} onChange={set} />;
}
