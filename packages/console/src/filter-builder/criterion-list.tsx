/**
 * Criteria that compare: numbers, versions, dates, and how often or when an event happened. One of them has to match.
 */
import { useState } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { Icon } from '../kit/icon.tsx';
import { type Fault, FaultLines, faultsBelow } from './faults.tsx';
import { useListKeys } from './list-keys.ts';
import { firstCriteria, type Kind, isObject } from './language.ts';
import { amountWords, type DateUnit, dateUnits, isDateUnit, momentWords, stepOf } from './math-date.ts';
import { begin, choiceOf, choicesFor, type Choice, fits } from './operators.ts';
import { BoundInput, NumberInput, TextInput } from './value-inputs.tsx';

interface ListProps {
  /** Of the filter. */
  name: string;
  kind: Kind;
  criteria: readonly unknown[];
  faults: readonly Fault[];
  onChange: (criteria: readonly unknown[]) => void;
}

export function CriterionList({ name, kind, criteria, faults, onChange }: ListProps): Content {
  const keys = useListKeys(criteria.length);
  const remove = (index: number): void => {
    keys.remove(index);
    onChange(criteria.filter((_, place) => place !== index));
  };
  return (
    <div class="filter-criteria">
      <ul>
        {criteria.map((criterion, index) => (
          <li key={keys.of(index)}>
            <Comparison
              name={name}
              kind={kind}
              criterion={criterion}
              number={index + 1}
              faults={faultsBelow(faults, `[${index}]`)}
              onChange={(changed) => onChange(criteria.map((one, place) => (place === index ? changed : one)))}
              onRemove={criteria.length > 1 ? () => remove(index) : undefined}
            />
          </li>
        ))}
      </ul>
      <button type="button" class="quiet" onClick={() => onChange([...criteria, ...firstCriteria(kind)])}>
        <Icon name="plus" />
        Or
      </button>
    </div>
  );
}

interface ComparisonProps {
  name: string;
  kind: Kind;
  criterion: unknown;
  /** From 1. */
  number: number;
  faults: readonly Fault[];
  onChange: (criterion: unknown) => void;
  onRemove: (() => void) | undefined;
}

function Comparison({ name, kind, criterion, number, faults, onChange, onRemove }: ComparisonProps): Content {
  const choices = choicesFor(kind);
  // The reader's choice stays while the value is written, even if the value would also suit another comparison.
  const [chosen, setChosen] = useState<Choice | undefined>(undefined);
  const choice = chosen !== undefined && fits(chosen, kind, criterion) ? chosen : choiceOf(kind, criterion);
  const choose = ({ currentTarget }: { currentTarget: HTMLSelectElement }): void => {
    const next = choices[Number(currentTarget.value)];
    if (next === undefined) return;
    setChosen(next);
    onChange(begin(next, criterion));
  };
  return (
    <div class="filter-comparison">
      <label>
        <span class="visually-hidden">Comparison {number}</span>
        <select onChange={choose}>
          {choices.map((one, index) => (
            <option key={one.label} value={index} selected={one === choice}>
              {one.label}
            </option>
          ))}
          {choice === undefined && (
            <option value="" selected>
              see JSON
            </option>
          )}
        </select>
      </label>
      {choice === undefined ? (
        <code class="muted">{JSON.stringify(criterion)}</code>
      ) : (
        <Operands name={name} choice={choice} criterion={criterion} onChange={onChange} />
      )}
      {onRemove !== undefined && (
        <button type="button" class="quiet" aria-label={`Remove comparison ${number}`} onClick={onRemove}>
          <Icon name="cross" />
        </button>
      )}
      <FaultLines faults={faults} />
    </div>
  );
}

interface OperandsProps {
  name: string;
  choice: Choice;
  criterion: unknown;
  onChange: (criterion: unknown) => void;
}

function Operands({ name, choice, criterion, onChange }: OperandsProps): Content {
  const { operator, of } = choice;
  const range = isObject(criterion) ? criterion : {};
  switch (operator) {
    case 'happened':
    case 'json':
      return null;
    case 'is':
      return of === 'number' ? (
        <NumberInput label="Value" value={criterion} onChange={onChange} />
      ) : (
        <>
          <TextInput label="Value" {...(of === 'version' && { of: name })} value={criterion} onChange={onChange} />
          {of === 'date' && <span class="hint">A day such as 2026-11-21, in UTC, or a date and time.</span>}
        </>
      );
    case 'same':
      return <NumberInput label="Version" value={criterion} onChange={onChange} />;
    case 'last':
      return <Step of={range['gte']} sign="-" onChange={(gte) => onChange({ gte })} />;
    case 'ago':
      return <Step of={range['lt']} sign="-" onChange={(lt) => onChange({ lt })} />;
    case 'next':
      return <Step of={range['lt']} sign="+" onChange={(lt) => onChange({ gte: 'now', lt })} />;
    case 'between':
      return <Between name={name} of={of} range={range} onChange={onChange} />;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return (
        <>
          <BoundInput
            label="Value"
            kind={of}
            of={name}
            value={range[operator]}
            onChange={(bound) => onChange({ [operator]: bound })}
          />
          {of === 'date' && <MomentHint bounds={[range[operator]]} />}
        </>
      );
  }
}

/** A bound keeps its key: what is written without `or equal` stays so. */
function Between(props: {
  name: string;
  of: Choice['of'];
  range: Record<string, unknown>;
  onChange: (criterion: unknown) => void;
}): Content {
  const { name, of, range, onChange } = props;
  const lower = Object.hasOwn(range, 'gt') ? 'gt' : 'gte';
  const upper = Object.hasOwn(range, 'lte') ? 'lte' : 'lt';
  return (
    <>
      <BoundInput
        label="From"
        kind={of}
        of={name}
        value={range[lower]}
        onChange={(from) => onChange({ [lower]: from, [upper]: range[upper] })}
      />
      {upper === 'lt' ? 'to below' : 'up to'}
      <BoundInput
        label="To"
        kind={of}
        of={name}
        value={range[upper]}
        onChange={(to) => onChange({ [lower]: range[lower], [upper]: to })}
      />
      {of === 'date' && <MomentHint bounds={[range[lower], range[upper]]} />}
    </>
  );
}

/** Dates and math-dates in words, if the words say more than the text. */
function MomentHint({ bounds }: { bounds: readonly unknown[] }): Content {
  const words = bounds.map((bound) => (typeof bound === 'string' ? momentWords(bound) : ''));
  const isMore = words.some((word, index) => word !== bounds[index]);
  return (
    <span class="hint">
      {isMore ? words.join(' – ') : 'A day, a date and time, or a math-date such as now-7d/d; in UTC.'}
    </span>
  );
}

/** A number of days, hours …: 'within the last 7 days'. */
function Step(props: { of: unknown; sign: '-' | '+'; onChange: (text: string) => void }): Content {
  const { of, sign, onChange } = props;
  const { amount, unit } = stepOf(of, sign) ?? { amount: '', unit: 'd' };
  const [written, setWritten] = useState(amount);
  const shown = written === '' || Number(written) === Number(amount) ? written : amount;
  const change = (text: string, of_: DateUnit): void => onChange(`now${sign}${text}${of_}`);
  return (
    <>
      <input
        class="filter-number"
        inputmode="numeric"
        aria-label="How many"
        value={shown}
        aria-invalid={shown === ''}
        onInput={({ currentTarget }) => {
          const digits = currentTarget.value.replaceAll(/\D/g, '').slice(0, 6);
          setWritten(digits);
          if (digits !== '') change(digits, unit);
        }}
      />
      <select
        aria-label="Of what"
        onChange={({ currentTarget }) => {
          if (isDateUnit(currentTarget.value)) change(amount, currentTarget.value);
        }}>
        {Object.keys(dateUnits).map((one) => (
          <option key={one} value={one} selected={one === unit}>
            {amountWords(amount, one).replace(/^\d* /, '')}
          </option>
        ))}
      </select>
    </>
  );
}
