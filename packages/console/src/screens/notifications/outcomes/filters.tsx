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

const platforms = ['iOS', 'Android', 'Web'].map((value) => ({ value, label: value }));

/** The filters of the address. `groups` are those of an A/B test; `reasons` have their numbers of devices. */
export function OutcomeFilters({ groups, reasons }: { groups: readonly string[]; reasons: readonly ReasonCount[] }) {
  const { query } = place.value;
  const outcome = query.get('outcome') ?? '';
  const ofOutcome = reasons.filter((one) => outcome === '' || one.outcome === outcome);
  const variants = groups.map((value) => ({ value, label: groupLabel(value) }));
  return (
    <div class="toolbar notifications-filters" role="search" aria-label="Filters">
      <Choice
        name="outcome"
        labels={['Outcome', 'Every outcome']}
        options={searched.map((value) => ({ value, label: outcomeLabels[value] }))}
      />
      <Choice
        name="reason"
        labels={['Reason', 'Every reason']}
        options={ofOutcome.flatMap(({ reason: value, devices }) =>
          value === null ? [] : [{ value, label: `${reasonWords(value)} (${formatNumber(devices)})` }],
        )}
      />
      {(groups.length > 0 || query.has('variant')) && (
        <Choice name="variant" labels={['Variant', 'Every variant']} options={variants} />
      )}
      <Choice name="platform" labels={['Platform', 'Both']} options={platforms} />
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

interface ChoiceProps {
  name: (typeof filterNames)[number];
  /** Of the field, and of no choice. */
  labels: readonly [string, string];
  options: readonly { value: string; label: string }[];
}

/** One of the values that are known, and the one of the address. */
function Choice({ name, labels: [label, all], options }: ChoiceProps) {
  const value = place.value.query.get(name) ?? '';
  const known = [{ value: '', label: all }, ...options];
  const isKnown = known.some((option) => option.value === value);
  return (
    <Select
      label={label}
      value={value}
      options={isKnown ? known : [...known, { value, label: value }]}
      onChange={set(name)}
    />
  );
}
