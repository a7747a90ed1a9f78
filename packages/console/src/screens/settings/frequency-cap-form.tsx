/** The form of one frequency cap. */
import { useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { ActionDialog } from '../../kit/action.tsx';
import { Select, TextField } from '../../kit/form.tsx';
import type { FrequencyCap, FrequencyLimit } from '../../replies.ts';

const LIMITS_MAX = 5;
const NEW_CAP: FrequencyCap = { group: '', by: 'user', limits: [{ at_most: 2, per: 'P1D' }] };

const periods: readonly { value: string; label: string }[] = [
  { value: 'PT1H', label: '1 hour' },
  { value: 'PT6H', label: '6 hours' },
  { value: 'PT12H', label: '12 hours' },
  { value: 'P1D', label: '1 day' },
  { value: 'P2D', label: '2 days' },
  { value: 'P7D', label: '7 days' },
  { value: 'P14D', label: '14 days' },
  { value: 'P30D', label: '30 days' },
];

/** '1 day'; a period that the form does not offer stays ISO 8601 */
export function periodText(per: string): string {
  return periods.find(({ value }) => value === per)?.label ?? per;
}

/** @param props.cap undefined: a new one; `takenGroups` are those of the other caps */
export function FrequencyCapForm(props: {
  cap: FrequencyCap | undefined;
  callFor: (cap: FrequencyCap) => ApiCall;
  takenGroups: readonly string[];
  onDone: () => void;
  onClose: () => void;
}) {
  const { cap, callFor, takenGroups, onDone, onClose } = props;
  const [{ group, by, limits }, setCap] = useState(cap ?? NEW_CAP);
  const edited = { group: group.trim(), by, limits };
  const isTaken = takenGroups.includes(edited.group);
  return (
    <ActionDialog
      title={cap === undefined ? 'New frequency cap' : 'Frequency cap'}
      label="Save"
      call={callFor(edited)}
      isComplete={edited.group !== '' && !isTaken}
      done="The cap is saved."
      onDone={onDone}
      onClose={onClose}>
      <TextField
        label="Group"
        hint="The name that notifications have in group, such as marketing."
        value={group}
        onInput={(text) => setCap({ ...edited, group: text })}
        error={isTaken ? 'Another cap has this group.' : undefined}
        autofocus
      />
      <Select
        label="Counted per"
        value={by}
        options={[
          { value: 'user', label: 'user: all devices of a person together' },
          { value: 'device', label: 'device' },
        ]}
        onChange={(value) => setCap({ ...edited, by: value })}
      />
      {limits.map((limit, index) => (
        <LimitFields
          key={index}
          limit={limit}
          onChange={(changed) => setCap({ ...edited, limits: limits.with(index, changed) })}
          onRemove={limits.length > 1 ? () => setCap({ ...edited, limits: limits.toSpliced(index, 1) }) : undefined}
        />
      ))}
      <button
        type="button"
        disabled={limits.length >= LIMITS_MAX}
        onClick={() => setCap({ ...edited, limits: [...limits, { at_most: 5, per: 'P7D' }] })}>
        And another limit
      </button>
    </ActionDialog>
  );
}

function LimitFields(props: {
  limit: FrequencyLimit;
  onChange: (limit: FrequencyLimit) => void;
  onRemove: (() => void) | undefined;
}) {
  const { limit, onChange, onRemove } = props;
  const isOffered = periods.some(({ value }) => value === limit.per);
  const options = isOffered ? periods : [...periods, { value: limit.per, label: limit.per }];
  return (
    <div class="toolbar">
      <TextField
        label="At most"
        type="number"
        value={String(limit.at_most)}
        onInput={(text) => onChange({ ...limit, at_most: Number(text) })}
      />
      <Select label="In" value={limit.per} options={options} onChange={(per) => onChange({ ...limit, per })} />
      {onRemove !== undefined && (
        <button type="button" class="plain" onClick={onRemove}>
          Remove limit
        </button>
      )}
    </div>
  );
}
