/**
 * Criteria that compare: numbers, versions, dates, and how often or when an event happened. One of them has to match. An input is for a
 * number with all of its digits, or for a text. A text that is not a number yet is null in the filter.
 */
import { useState } from 'preact/hooks';
import { parseExact } from '../frame/api.ts';
import { AddButton, RemoveButton } from './buttons.tsx';
import { Combobox } from './combobox.tsx';
import { begin, boundsOf, type Comparison, comparisonOf, comparisonsFor, stepsOf } from './comparisons.ts';
import { type CriteriaProps, FaultLines, faultsBelow } from './faults.tsx';
import { firstCriteria, isObject, type Kind, numberText } from './language.ts';
import { amountWords, dateUnits, momentWords, type Step } from './math-date.ts';
import { useValues } from './suggestions.ts';

export function CriterionList({ name, kind, criteria, faults, onChange }: CriteriaProps & { kind: Kind }) {
  return (
    <div class="stack close filter-criteria">
      <ul class="stack close">
        {criteria.map((criterion, index) => (
          <li key={index} class="filter-comparison">
            <Compared
              name={name}
              kind={kind}
              criterion={criterion}
              number={index + 1}
              onChange={(changed) => onChange(criteria.with(index, changed))}
            />
            {criteria.length > 1 && (
              <RemoveButton what={`comparison ${index + 1}`} onClick={() => onChange(criteria.toSpliced(index, 1))} />
            )}
            <FaultLines faults={faultsBelow(faults, `[${index}]`)} />
          </li>
        ))}
      </ul>
      <AddButton class="quiet" onClick={() => onChange([...criteria, ...firstCriteria[kind]])}>
        Or
      </AddButton>
    </div>
  );
}

interface ComparedProps {
  name: string;
  kind: Kind;
  criterion: unknown;
  number: number;
  onChange: (criterion: unknown) => void;
}

function Compared({ name, kind, criterion, number, onChange }: ComparedProps) {
  const all = comparisonsFor(kind);
  const [chosen, setChosen] = useState<Comparison | undefined>(undefined);
  const comparison = comparisonOf(kind, criterion, chosen);
  const choose = (next: Comparison | undefined): void => {
    setChosen(next);
    if (next !== undefined) onChange(begin(next, criterion));
  };
  return (
    <>
      <select
        aria-label={`Comparison ${number}`}
        onChange={({ currentTarget }) => choose(all[Number(currentTarget.value)])}>
        {all.map((one, index) => (
          <option key={one.label} value={index} selected={one === comparison}>
            {one.label}
          </option>
        ))}
        {comparison === undefined && <option selected>see JSON</option>}
      </select>
      {comparison === undefined ? (
        <code class="muted">{JSON.stringify(criterion)}</code>
      ) : (
        <Operands name={name} comparison={comparison} criterion={criterion} onChange={onChange} />
      )}
    </>
  );
}

function Operands(props: Omit<ComparedProps, 'kind' | 'number'> & { comparison: Comparison }) {
  const { name, comparison, criterion, onChange } = props;
  const { of, example, after } = comparison;
  const steps = stepsOf(example) && stepsOf(criterion);
  if (example === true) return null;
  if (steps !== undefined) {
    const { key, step } = steps;
    return (
      <StepInput {...step} onChange={(bound) => onChange({ ...(isObject(criterion) && criterion), [key]: bound })} />
    );
  }
  const bounds = boundsOf(criterion);
  return (
    <>
      {bounds.map(([key, value], index) => {
        const shared = {
          label: bounds.length === 1 ? 'Value' : index === 0 ? 'From' : 'To',
          value,
          onChange: (bound: unknown) => onChange(isObject(criterion) ? { ...criterion, [key]: bound } : bound),
        };
        return [
          index === 1 && (key === 'lt' ? 'to below' : 'up to'),
          of === 'number' || typeof example === 'number' ? (
            <NumberInput key={key} {...shared} />
          ) : (
            <TextInput key={key} {...shared} of={of === 'version' ? name : undefined} />
          ),
        ];
      })}
      {after}
      {of === 'date' && <MomentHint bounds={bounds} />}
    </>
  );
}

/** Dates and math-dates in words, if the words say more than the text. */
function MomentHint({ bounds }: { bounds: ReturnType<typeof boundsOf> }) {
  const words = bounds.map(([, bound]) => (typeof bound === 'string' ? momentWords(bound) : ''));
  const isMore = words.some((word, index) => word !== bounds[index]?.[1]);
  const isRange = bounds[0]?.[0] !== '';
  return (
    <span class="hint">
      {isMore
        ? words.join(' – ')
        : `A day such as 2026-11-21, ${isRange ? 'a date and time, or a math-date such as now-7d/d; in UTC' : 'or a date and time'}.`}
    </span>
  );
}

function StepInput({ sign, amount, unit, onChange }: Step & { onChange: (text: string) => void }) {
  return (
    <>
      <input
        inputmode="numeric"
        aria-label="How many"
        value={amount}
        onInput={({ currentTarget }) => {
          const digits = currentTarget.value.replaceAll(/\D/g, '').slice(0, 6);
          onChange(`now${sign}${Number(digits)}${unit}`);
        }}
      />
      <select
        aria-label="Of what"
        onChange={({ currentTarget }) => onChange(`now${sign}${amount}${currentTarget.value}`)}>
        {Object.keys(dateUnits).map((one) => (
          <option key={one} value={one} selected={one === unit}>
            {amountWords({ amount, unit: one }).replace(/^\d* /, '')}
          </option>
        ))}
      </select>
    </>
  );
}

interface InputProps {
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** The reader's text stays as it was typed while it stands for the value: `1.` and `1.0` stand for 1. */
export function NumberInput({ label, value, onChange }: InputProps) {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const isTyped = typed !== undefined && JSON.stringify(numberIn(typed)) === JSON.stringify(value);
  return (
    <input
      inputmode="decimal"
      aria-label={label}
      aria-invalid={numberText(value) === undefined}
      autocomplete="off"
      value={isTyped ? typed : (numberText(value) ?? (typeof value === 'string' ? value : ''))}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(numberIn(currentTarget.value));
      }}
    />
  );
}

/** @returns the number of a text; null if it is not a number */
function numberIn(text: string): unknown {
  const plain = text.trim().replace(/^\+/, '').replace(/\.$/, '');
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain) ? parseExact(plain) : null;
}

/**
 * Every value of the app is offered until the reader types: what is there already would find only itself.
 * @param props.of the filter whose values of the app are suggested
 */
function TextInput({ label, value, onChange, of }: InputProps & { of: string | undefined }) {
  const [asked, setAsked] = useState<string | undefined>(undefined);
  const options = useValues(of, asked).filter(({ key }) => key !== value);
  return (
    <Combobox
      class="code filter-value"
      aria-label={label}
      value={typeof value === 'string' ? value : (numberText(value) ?? '')}
      aria-invalid={value === null || value === ''}
      options={options}
      onText={(text) => {
        setAsked(text);
        onChange(text);
      }}
      onChoose={({ key }) => onChange(key)}
      onFocus={() => setAsked('')}
      onBlur={() => setAsked(undefined)}
    />
  );
}
