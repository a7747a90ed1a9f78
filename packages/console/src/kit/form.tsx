/** Fields with their label, hint and fault; the label and the texts belong to the field for screen readers as well. */
import { useId, useState } from 'preact/hooks';
import type { Content } from './content.ts';

/** @param props.onSubmit called instead of the browser's own submit, which would load another page */
export function Form(props: { onSubmit: () => Promise<unknown>; class?: string; label?: string; children?: Content }) {
  const { onSubmit, class: className = 'form', label, children } = props;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    await onSubmit();
  };
  return (
    <form class={className} aria-label={label} onSubmit={submit}>
      {children}
    </form>
  );
}

interface FieldProps {
  label: string;
  /** Stays below the field. */
  hint?: Content;
  /** Why the value is refused, in the API's words. */
  error?: string | undefined;
  required?: boolean;
  disabled?: boolean;
}

interface Changed<Element> {
  currentTarget: Element;
}

function useField({ hint, error }: FieldProps): {
  id: string;
  describedBy: string | undefined;
  notes: Content;
} {
  const id = useId();
  const notes = (
    <>
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error !== undefined && (
        <span class="fault" id={`${id}-fault`}>
          {error}
        </span>
      )}
    </>
  );
  const ids = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-fault`].filter(Boolean);
  return { id, describedBy: ids.length === 0 ? undefined : ids.join(' '), notes };
}

const inputs = {
  text: { type: 'text' },
  email: { type: 'email' },
  password: { type: 'password' },
  search: { type: 'search' },
  number: { type: 'number' },
  'datetime-local': { type: 'datetime-local' },
  time: { type: 'time' },
  url: { type: 'url' },
} as const;

/** One line of text. */
export function TextField(
  props: FieldProps & {
    value: string;
    onInput: (value: string) => void;
    type?: keyof typeof inputs;
    placeholder?: string | undefined;
    autocomplete?: string;
    /** The keyboard of a phone. */
    inputMode?: 'numeric';
    /** The language of the text, for the spell checker. */
    lang?: string | undefined;
    /** For code and ids: no spell checker, and a monospaced font. */
    code?: boolean | undefined;
    autofocus?: boolean;
  },
) {
  const { label, value, onInput, type = 'text', placeholder, autocomplete = 'off', code = false } = props;
  const { id, describedBy, notes } = useField(props);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...inputs[isShowable(type, value) ? type : 'text']}
        value={value}
        class={code ? 'code' : undefined}
        placeholder={placeholder}
        autocomplete={autocomplete}
        inputmode={props.inputMode}
        autofocus={props.autofocus}
        spellcheck={!code}
        lang={props.lang}
        dir={type === 'text' && !code ? 'auto' : undefined}
        required={props.required}
        disabled={props.disabled}
        aria-describedby={describedBy}
        aria-invalid={props.error !== undefined}
        onInput={({ currentTarget }: Changed<HTMLInputElement>) => onInput(currentTarget.value)}
      />
      {notes}
    </div>
  );
}

/** A field whose value counts when the reader leaves it or presses Enter: half an id finds nothing. */
export function SubmittedField(props: {
  label: string;
  value: string;
  onSubmit: (value: string) => void;
  /** For code and ids. */
  code?: boolean;
}) {
  const { label, value, onSubmit, code } = props;
  const [written, setWritten] = useState<string | undefined>(undefined);
  const submit = (): void => {
    if (written === undefined) return;
    onSubmit(written.trim());
    setWritten(undefined);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onFocusOut={submit}>
      <TextField label={label} code={code} value={written ?? value} onInput={setWritten} />
    </form>
  );
}

/** Whether a browser shows the value in such a field: a field for numbers shows no other text. */
function isShowable(type: string, value: string): boolean {
  return type !== 'number' || value === '' || Number.isFinite(Number(value));
}

/** Several lines: texts, JSON. */
export function TextArea(
  props: FieldProps & {
    value: string;
    onInput: (value: string) => void;
    rows?: number;
    code?: boolean;
    placeholder?: string | undefined;
    /** The language of the text, for the spell checker. */
    lang?: string | undefined;
  },
) {
  const { label, value, onInput, rows = 4, code = false, placeholder } = props;
  const { id, describedBy, notes } = useField(props);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        class={code ? 'code' : undefined}
        dir={code ? 'ltr' : 'auto'}
        lang={props.lang}
        placeholder={placeholder}
        spellcheck={!code}
        required={props.required}
        disabled={props.disabled}
        aria-describedby={describedBy}
        aria-invalid={props.error !== undefined}
        value={value}
        onInput={({ currentTarget }: Changed<HTMLTextAreaElement>) => onInput(currentTarget.value)}
      />
      {notes}
    </div>
  );
}

/** One of a few. */
export function Select<Value extends string>(
  props: FieldProps & {
    value: Value;
    options: readonly { value: Value; label: string }[];
    onChange: (value: Value) => void;
  },
) {
  const { label, value, options, onChange } = props;
  const { id, describedBy, notes } = useField(props);
  const choose = ({ currentTarget }: Changed<HTMLSelectElement>): void => {
    const chosen = options.find((option) => option.value === currentTarget.value);
    if (chosen !== undefined) onChange(chosen.value);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        disabled={props.disabled}
        aria-describedby={describedBy}
        aria-invalid={props.error !== undefined}
        onChange={choose}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
      {notes}
    </div>
  );
}

/** Yes or no. */
export function Checkbox(props: FieldProps & { checked: boolean; onChange: (checked: boolean) => void }) {
  const { label, checked, onChange } = props;
  const { id, describedBy, notes } = useField(props);
  return (
    <div class="field">
      <label class="check" for={id}>
        <input
          id={id}
          type="checkbox"
          checked={checked}
          disabled={props.disabled}
          aria-describedby={describedBy}
          onChange={({ currentTarget }: Changed<HTMLInputElement>) => onChange(currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {notes}
    </div>
  );
}
