/** Inputs for a value of JSON: a number with all of its digits, or a text. A text that is not a number yet is null in the filter. */
import { useState } from 'preact/hooks';
import { parseExact } from '../frame/api.ts';
import type { Content } from '../kit/content.ts';
import { numberText } from './language.ts';

interface InputProps {
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Wide enough for this many characters. */
  size?: number;
}

/** The reader's text stays as it was typed while it stands for the value: `1.` and `1.0` stand for 1. */
export function NumberInput({ label, value, onChange, size = 10 }: InputProps): Content {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const isTyped = typed !== undefined && JSON.stringify(numberIn(typed)) === JSON.stringify(value);
  const shown = isTyped ? typed : (numberText(value) ?? (typeof value === 'string' ? value : ''));
  return (
    <input
      class="filter-number"
      inputmode="decimal"
      aria-label={label}
      aria-invalid={numberText(value) === undefined}
      autocomplete="off"
      size={size}
      value={shown}
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

export function TextInput({ label, value, onChange, size = 18 }: InputProps): Content {
  return (
    <input
      class="code filter-value"
      aria-label={label}
      autocomplete="off"
      spellcheck={false}
      size={size}
      value={typeof value === 'string' ? value : (numberText(value) ?? '')}
      aria-invalid={value === null || value === ''}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** A bound of a range. A version is a text, so that 3.10 keeps its last digit. */
export function BoundInput(props: InputProps & { of: 'number' | 'version' | 'date' }): Content {
  return props.of === 'number' ? (
    <NumberInput {...props} />
  ) : (
    <TextInput {...props} size={props.of === 'date' ? 20 : 10} />
  );
}
