/** One filter: its attribute, whether it is negated, its criteria, its counts. */
import { formatNumber } from '../kit/format.ts';
import { html, type Content } from '../kit/html.ts';
import { Icon } from '../kit/icon.ts';
import { AttributeChoice } from './attribute-choice.ts';
import { BooleanCriteria, PermissionCriteria } from './choice-criteria.ts';
import { CriterionList } from './criterion-list.ts';
import { faultsBelow, type Fault } from './faults.ts';
import { describe, type FilterJson, firstCriteria } from './language.ts';
import { PlaceCriteria } from './place-criteria.ts';
import { TextCriteria } from './text-criteria.ts';
import { filterWords } from './words.ts';

/** The counts of a filter; null if there was no time for it. */
export interface FilterCounts {
  /** The devices that it selects alone. */
  device_count: number | null;
  /** The devices that are left after this filter and all filters before it. */
  left_count: number | null;
}

interface CardProps {
  filter: FilterJson;
  /** From 1. */
  number: number;
  faults: readonly Fault[];
  counts: FilterCounts | undefined;
  onChange: (filter: FilterJson) => void;
  onRemove: () => void;
}

export function FilterCard({ filter, number, faults, counts, onChange, onRemove }: CardProps): Content {
  const { kind } = describe(filter.name);
  const rename = (name: string): void => {
    const next = describe(name).kind;
    onChange({ ...filter, name, criteria: next === kind ? filter.criteria : firstCriteria(next) });
  };
  return html`<li class="filter-card card">
    <div class="filter-head">
      <${AttributeChoice} name=${filter.name} error=${messageAt(faults, 'name')} onChange=${rename} />
      <label class="field filter-not">
        <span>Selects devices</span>
        <select
          onChange=${({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
            onChange({ ...filter, not_filter: currentTarget.value === 'not' })}
        >
          <option value="" selected=${filter.not_filter !== true}>that match</option>
          <option value="not" selected=${filter.not_filter === true}>that do not match</option>
        </select>
      </label>
      <button
        type="button"
        class="quiet filter-remove"
        aria-label=${`Remove filter ${number}`}
        onClick=${onRemove}
      >
        <${Icon} name="cross" />
      </button>
    </div>
    <${Criteria}
      filter=${filter}
      faults=${faultsBelow(faults, 'criteria')}
      onChange=${(criteria: readonly unknown[]) => onChange({ ...filter, criteria })}
    />
    ${filter.not_filter === true && html`<p class="hint">Also devices without this attribute.</p>`}
    ${faults
      .filter(({ path }) => path === '' || path === 'criteria')
      .map(({ message }) => html`<p class="fault" key=${message}>${message}</p>`)}
    <footer class="filter-foot">
      <span class="filter-words"><bdi>${filterWords(filter)}</bdi></span>
      ${counts !== undefined && html`<${Counts} counts=${counts} isFirst=${number === 1} />`}
    </footer>
  </li>`;
}

interface CriteriaProps {
  filter: FilterJson;
  faults: readonly Fault[];
  onChange: (criteria: readonly unknown[]) => void;
}

function Criteria({ filter, faults, onChange }: CriteriaProps): Content {
  const { kind } = describe(filter.name);
  const { criteria } = filter;
  switch (kind) {
    case 'text':
      return html`<${TextCriteria}
        name=${filter.name}
        criteria=${criteria}
        faults=${faults}
        onChange=${onChange}
      />`;
    case 'permission':
      return html`<${PermissionCriteria} criteria=${criteria} onChange=${onChange} />`;
    case 'boolean':
      return html`<${BooleanCriteria} criteria=${criteria} onChange=${onChange} />`;
    case 'place':
      return html`<${PlaceCriteria} criteria=${criteria} faults=${faults} onChange=${onChange} />`;
    case 'number':
    case 'version':
    case 'date':
    case 'event':
      return html`<${CriterionList}
        kind=${kind}
        criteria=${criteria}
        faults=${faults}
        onChange=${onChange}
      />`;
    case undefined:
      return html`<p class="fault">This is not an attribute. Its criteria can be changed as JSON.</p>`;
  }
}

function Counts({ counts, isFirst }: { counts: FilterCounts; isFirst: boolean }): Content {
  const { device_count: alone, left_count: left } = counts;
  return html`<span class="filter-counts">
    <span
      >${alone === null ? 'not counted in time' : html`<strong>${formatNumber(alone)}</strong> alone`}</span
    >
    ${!isFirst && html`<span>${left === null ? 'rest not counted in time' : html`<strong>${formatNumber(left)}</strong> left`}</span>`}
  </span>`;
}

function messageAt(faults: readonly Fault[], path: string): string | undefined {
  return faults.find((fault) => fault.path === path)?.message;
}
