/** One filter: its attribute, whether it is negated, its criteria, its counts. */
import { formatNumber } from '../kit/format.ts';
import type { Content } from '../kit/content.ts';
import { Icon } from '../kit/icon.tsx';
import { AttributeChoice } from './attribute-choice.tsx';
import { BooleanCriteria, PermissionCriteria } from './choice-criteria.tsx';
import { CriterionList } from './criterion-list.tsx';
import { faultsBelow, type Fault } from './faults.ts';
import { describe, type FilterJson, firstCriteria } from './language.ts';
import { PlaceCriteria } from './place-criteria.tsx';
import { TextCriteria } from './text-criteria.tsx';
import type { FilterCount } from '../replies.ts';
import { filterWords } from './words.ts';

interface CardProps {
  filter: FilterJson;
  /** From 1. */
  number: number;
  faults: readonly Fault[];
  counts: FilterCount | undefined;
  onChange: (filter: FilterJson) => void;
  onRemove: () => void;
}

export function FilterCard({ filter, number, faults, counts, onChange, onRemove }: CardProps): Content {
  const { kind } = describe(filter.name);
  const rename = (name: string): void => {
    const next = describe(name).kind;
    onChange({ ...filter, name, criteria: next === kind ? filter.criteria : firstCriteria(next) });
  };
  return (
    <li class="filter-card card">
      <div class="filter-head">
        <AttributeChoice name={filter.name} error={messageAt(faults, 'name')} onChange={rename} />
        <label class="field filter-not">
          <span>Selects devices</span>
          <select onChange={({ currentTarget }) => onChange({ ...filter, not_filter: currentTarget.value === 'not' })}>
            <option value="" selected={filter.not_filter !== true}>
              that match
            </option>
            <option value="not" selected={filter.not_filter === true}>
              that do not match
            </option>
          </select>
        </label>
        <button type="button" class="quiet filter-remove" aria-label={`Remove filter ${number}`} onClick={onRemove}>
          <Icon name="cross" />
        </button>
      </div>
      <Criteria
        filter={filter}
        faults={faultsBelow(faults, 'criteria')}
        onChange={(criteria) => onChange({ ...filter, criteria })}
      />
      {filter.not_filter === true && <p class="hint">Also devices without this attribute.</p>}
      {faults
        .filter(({ path }) => path === '' || path === 'criteria')
        .map(({ message }) => (
          <p class="fault" key={message}>
            {message}
          </p>
        ))}
      <footer class="filter-foot">
        <span class="filter-words">
          <bdi>{filterWords(filter)}</bdi>
        </span>
        {counts !== undefined && <Counts counts={counts} isFirst={number === 1} />}
      </footer>
    </li>
  );
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
      return <TextCriteria name={filter.name} criteria={criteria} faults={faults} onChange={onChange} />;
    case 'permission':
      return <PermissionCriteria criteria={criteria} onChange={onChange} />;
    case 'boolean':
      return <BooleanCriteria criteria={criteria} onChange={onChange} />;
    case 'place':
      return <PlaceCriteria criteria={criteria} faults={faults} onChange={onChange} />;
    case 'number':
    case 'version':
    case 'date':
    case 'event':
      return <CriterionList kind={kind} criteria={criteria} faults={faults} onChange={onChange} />;
    case undefined:
      return <p class="fault">This is not an attribute. Its criteria can be changed as JSON.</p>;
  }
}

function Counts({ counts, isFirst }: { counts: FilterCount; isFirst: boolean }): Content {
  const { device_count: alone, left_count: left } = counts;
  return (
    <span class="filter-counts">
      <span>
        {alone === null ? (
          'not counted in time'
        ) : (
          <>
            <strong>{formatNumber(alone)}</strong> alone
          </>
        )}
      </span>
      {!isFirst && (
        <span>
          {left === null ? (
            'rest not counted in time'
          ) : (
            <>
              <strong>{formatNumber(left)}</strong> left
            </>
          )}
        </span>
      )}
    </span>
  );
}

function messageAt(faults: readonly Fault[], path: string): string | undefined {
  return faults.find((fault) => fault.path === path)?.message;
}
