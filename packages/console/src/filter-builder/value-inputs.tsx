/** Inputs for a value of JSON: a number with all of its digits, or a text. A text that is not a number yet is null in the filter. */
import { useState } from 'preact/hooks';
import { parseExact } from '../frame/api.ts';
import { Combobox } from './combobox.tsx';
import { numberText } from './language.ts';
import { useValues } from './suggestions.ts';

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
      class="filter-number"
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
export function TextInput({ label, value, onChange, of }: InputProps & { of: string | undefined }) {
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
