import { place, setQuery } from '../../frame/router.ts';
import { Select, SubmittedField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { outcomeLabels, outcomes } from '../../kit/outcome-bar.tsx';
import { groupLabel } from './searched.ts';

export const filterNames = ['outcome', 'reason', 'variant', 'platform', 'app_version'] as const;

/**
 * The filters of the address.
 * @param props.groups those of an A/B test; empty if the notification is none
 */
export function OutcomeFilters({ groups }: { groups: readonly string[] }): Content {
  const { query } = place.value;
  const variant = query.get('variant') ?? '';
  const offered = variant === '' || groups.includes(variant) ? groups : [...groups, variant];
  const set = (name: (typeof filterNames)[number]) => (value: string) => setQuery({ [name]: value, cursor: undefined });
  return (
    <div class="toolbar outcomes-filters" role="search" aria-label="Filters">
      <Select
        label="Outcome"
        value={query.get('outcome') ?? ''}
        options={[
          { value: '', label: 'Every outcome' },
          ...outcomes
            .filter((outcome) => outcome !== 'pending')
            .map((outcome) => ({ value: outcome, label: outcomeLabels[outcome] })),
        ]}
        onChange={set('outcome')}
      />
      <SubmittedField label="Reason" value={query.get('reason') ?? ''} onSubmit={set('reason')} />
      {offered.length > 0 && (
        <Select
          label="Variant"
          value={variant}
          options={[
            { value: '', label: 'Every variant' },
            ...offered.map((name) => ({ value: name, label: groupLabel(name) })),
          ]}
          onChange={set('variant')}
        />
      )}
      <Select
        label="Platform"
        value={query.get('platform') ?? ''}
        options={[
          { value: '', label: 'Both' },
          { value: 'iOS', label: 'iOS' },
          { value: 'Android', label: 'Android' },
        ]}
        onChange={set('platform')}
      />
      <SubmittedField label="App version" value={query.get('app_version') ?? ''} onSubmit={set('app_version')} />
      {filterNames.some((name) => query.has(name)) && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            const none = Object.fromEntries(filterNames.map((name) => [name, undefined]));
            setQuery({ ...none, cursor: undefined }, 'push');
          }}>
          Clear
        </button>
      )}
    </div>
  );
}
