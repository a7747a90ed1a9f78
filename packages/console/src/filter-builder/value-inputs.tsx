/** Inputs for a value of JSON: a number with all of its digits, or a text. A text that is not a number yet is null in the filter. */
import { useState } from 'preact/hooks';
import { parseExact } from '../frame/api.ts';
import type { Content } from '../kit/content.ts';
import { Combobox } from './combobox.tsx';
import { numberText } from './language.ts';
import { useValues } from './suggestions.ts';

interface InputProps {
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Wide enough for this many characters. */
  size?: number;
  /** The filter whose values of the app are suggested. */
  of?: string | undefined;
}

/** The reader's text stays as it was typed while it stands for the value: `1.` and `1.0` stand for 1. */
export function NumberInput({ label, value, onChange, size = 10, of }: InputProps): Content {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const isTyped = typed !== undefined && JSON.stringify(numberIn(typed)) === JSON.stringify(value);
  const change = (text: string): void => {
    setTyped(text);
    onChange(numberIn(text));
  };
  return (
    <Suggesting
      class="filter-number"
      inputMode="decimal"
      label={label}
      isInvalid={numberText(value) === undefined}
      size={size}
      value={isTyped ? typed : (numberText(value) ?? (typeof value === 'string' ? value : ''))}
      of={of}
      onInput={change}
    />
  );
}

/** @returns the number of a text; null if it is not a number */
function numberIn(text: string): unknown {
  const plain = text.trim().replace(/^\+/, '').replace(/\.$/, '');
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain) ? parseExact(plain) : null;
}

export function TextInput({ label, value, onChange, size = 18, of }: InputProps): Content {
  return (
    <Suggesting
      class="code filter-value"
      label={label}
      size={size}
      value={typeof value === 'string' ? value : (numberText(value) ?? '')}
      isInvalid={value === null || value === ''}
      of={of}
      onInput={onChange}
    />
  );
}

interface SuggestingProps {
  class: string;
  label: string;
  value: string;
  onInput: (text: string) => void;
  isInvalid: boolean;
  size: number;
  inputMode?: 'decimal';
  of: string | undefined;
}

function Suggesting({ of, ...props }: SuggestingProps): Content {
  if (of !== undefined) return <SuggestingOf {...props} of={of} />;
  return (
    <input
      class={props.class}
      aria-label={props.label}
      aria-invalid={props.isInvalid}
      autocomplete="off"
      spellcheck={false}
      inputmode={props.inputMode}
      size={props.size}
      value={props.value}
      onInput={({ currentTarget }) => props.onInput(currentTarget.value)}
    />
  );
}

/** Every value of the app is offered until the reader types: what is there already would find only itself. */
function SuggestingOf({ of, onInput, ...props }: SuggestingProps & { of: string }): Content {
  const [asked, setAsked] = useState<string | undefined>(undefined);
  const options = useValues(of, asked).filter(({ key }) => key !== props.value);
  return (
    <Combobox
      {...props}
      options={options}
      onInput={(text) => {
        setAsked(text);
        onInput(text);
      }}
      onChoose={({ key }) => onInput(key)}
      onFocus={() => setAsked('')}
      onBlur={() => setAsked(undefined)}
    />
  );
}

/** A bound of a range. A version is a text, so that 3.10 keeps its last digit; values of dates are not suggested. */
export function BoundInput({ kind, of, ...props }: InputProps & { kind: 'number' | 'version' | 'date' }): Content {
  if (kind === 'number') return <NumberInput {...props} of={of} />;
  return kind === 'date' ? <TextInput {...props} size={20} /> : <TextInput {...props} of={of} size={10} />;
}
