import { addressOf, go, place, setQuery } from '../../../frame/router.ts';
import { Select, SubmittedField } from '../../../kit/form.tsx';
import { formatNumber } from '../../../kit/format.ts';
import { outcomeLabels, outcomes } from '../../../kit/outcome-bar.tsx';
import type { ReasonCount } from '../../../replies.ts';
import { groupLabel } from '../notification.tsx';

export const filterNames = ['outcome', 'reason', 'variant', 'platform', 'app_version'] as const;

/** No device has them as its outcome. */
const WAITING: ReadonlySet<string> = new Set(['pending', 'not_sent', 'left_out']);
const searched = outcomes.filter((outcome) => !WAITING.has(outcome));

/** The filters of the address. `groups` are those of an A/B test; `reasons` have their numbers of devices. */
export function OutcomeFilters({ groups, reasons }: { groups: readonly string[]; reasons: readonly ReasonCount[] }) {
  const { query } = place.value;
  const outcome = query.get('outcome') ?? '';
  const ofOutcome = reasons.filter((one) => outcome === '' || one.outcome === outcome);
  return (
    <div class="toolbar notifications-filters" role="search" aria-label="Filters">
      <Choice
        label="Outcome"
        name="outcome"
        all="Every outcome"
        options={searched.map((value) => ({ value, label: outcomeLabels[value] }))}
      />
      <Choice
        label="Reason"
        name="reason"
        all="Every reason"
        options={ofOutcome.flatMap(({ reason: value, devices }) =>
          value === null ? [] : [{ value, label: `${reasonWords(value)} (${formatNumber(devices)})` }],
        )}
      />
      {(groups.length > 0 || query.has('variant')) && (
        <Choice
          label="Variant"
          name="variant"
          all="Every variant"
          options={groups.map((value) => ({ value, label: groupLabel(value) }))}
        />
      )}
      <Choice
        label="Platform"
        name="platform"
        all="Both"
        options={['iOS', 'Android'].map((value) => ({ value, label: value }))}
      />
      <SubmittedField label="App version" value={query.get('app_version') ?? ''} onSubmit={set('app_version')} />
      {filterNames.some((name) => query.has(name)) && (
        <button type="button" class="quiet" onClick={() => go(addressOf(place.value.path, { tab: 'outcomes' }))}>
          Clear
        </button>
      )}
    </div>
  );
}

/** 'held_out' → 'Held out'; a code of Apple or Google stays as it is. */
export function reasonWords(reason: string): string {
  if (!/^[a-z]+[_ ]/.test(reason)) return reason;
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1).replaceAll('_', ' ')}`;
}

function set(name: (typeof filterNames)[number]): (value: string) => void {
  return (value) => setQuery({ [name]: value, cursor: undefined });
}

/** One of the values that are known, and the one of the address. */
function Choice(props: {
  label: string;
  name: (typeof filterNames)[number];
  all: string;
  options: readonly { value: string; label: string }[];
}) {
  const { label, name, all, options } = props;
  const value = place.value.query.get(name) ?? '';
  const own = options.some((option) => option.value === value) ? [] : [{ value, label: value }];
  return (
    <Select
      label={label}
      value={value}
      options={[{ value: '', label: all }, ...options, ...(value === '' ? [] : own)]}
      onChange={set(name)}
    />
  );
}
