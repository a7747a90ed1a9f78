/** Fields with their label, hint and fault; the label and the texts belong to the field for screen readers as well. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Content } from './content.ts';

/** @param props.onSubmit called instead of the browser's own submit, which would load another page */
export function Form(props: { onSubmit: () => Promise<unknown>; class?: string; label?: string; children?: Content }) {
  const { onSubmit, class: className = 'form', label, children } = props;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    event.stopPropagation(); // a dialog may be within another form
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
  /** Whether screen readers say the fault when it appears: in answer to a button, not while somebody types. */
  saysError?: boolean;
  required?: boolean;
  disabled?: boolean;
}

/** A field of text. */
interface TextProps extends FieldProps {
  value: string;
  onInput: (value: string) => void;
  placeholder?: string | undefined;
  /** The language of the text, for the spell checker. */
  lang?: string | undefined;
  /** For code and ids: no spell checker, and a monospaced font. */
  code?: boolean | undefined;
}

/** What the control of a field needs: its id, what it may not be, and the ids of its hint and its fault, with these. */
function useField({ hint, error, saysError = false, required, disabled }: FieldProps) {
  const id = useId();
  const notes = Object.entries({ hint, fault: error }).filter(([, text]) => text !== undefined);
  const ids = notes.map(([kind]) => `${id}-${kind}`).join(' ');
  return {
    control: {
      id,
      required,
      disabled,
      'aria-invalid': error !== undefined,
      ...(ids !== '' && { 'aria-describedby': ids }),
    },
    notes: notes.map(([kind, text]) => (
      <span key={kind} class={kind} id={`${id}-${kind}`} role={kind === 'fault' && saysError ? 'alert' : undefined}>
        {text}
      </span>
    )),
  };
}

/** What a field is for: the browser fills in some by itself, and a phone shows the keyboard for it. */
const inputs = {
  text: { type: 'text' },
  name: { type: 'text', autocomplete: 'username' },
  password: { type: 'password', autocomplete: 'current-password' },
  'new-password': { type: 'password', autocomplete: 'new-password' },
  code: { type: 'text', autocomplete: 'one-time-code' },
  digits: { type: 'text', autocomplete: 'one-time-code', inputmode: 'numeric' },
  search: { type: 'search' },
  number: { type: 'number' },
  'datetime-local': { type: 'datetime-local' },
  time: { type: 'time' },
  url: { type: 'url' },
} as const;

/** One line of text. */
export function TextField(props: TextProps & { type?: keyof typeof inputs; autofocus?: boolean }) {
  const { label, value, onInput, type = 'text', code = false, autofocus = false } = props;
  const { control, notes } = useField(props);
  const input = useRef<HTMLInputElement>(null);
  // Browsers obey `autofocus` only when a page is loaded or a dialog opens.
  useLayoutEffect(() => {
    if (autofocus) input.current?.focus();
  }, []);
  return (
    <div class="field">
      <label for={control.id}>{label}</label>
      <input
        {...control}
        ref={input}
        autocomplete="off"
        {...inputs[isShowable(type, value) ? type : 'text']}
        value={value}
        class={code ? 'code' : undefined}
        placeholder={props.placeholder}
        autofocus={autofocus}
        spellcheck={!code}
        lang={props.lang}
        dir={inputs[type].type === 'text' && !code ? 'auto' : undefined}
        onInput={({ currentTarget }: { currentTarget: HTMLInputElement }) => onInput(currentTarget.value)}
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
export function TextArea(props: TextProps & { rows?: number }) {
  const { label, value, onInput, rows = 4, code = false } = props;
  const { control, notes } = useField(props);
  return (
    <div class="field">
      <label for={control.id}>{label}</label>
      <textarea
        {...control}
        rows={rows}
        class={code ? 'code' : undefined}
        dir={code ? 'ltr' : 'auto'}
        lang={props.lang}
        placeholder={props.placeholder}
        spellcheck={!code}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {notes}
    </div>
  );
}

/** One of a few. A value that is none of them is offered as it is. */
export function Select<Value extends string>(
  props: FieldProps & {
    value: Value;
    options: readonly { value: Value; label: string }[];
    onChange: (value: Value) => void;
  },
) {
  const { label, value, onChange } = props;
  const isOffered = props.options.some((option) => option.value === value);
  const options = isOffered ? props.options : [...props.options, { value, label: value }];
  const { control, notes } = useField(props);
  const choose = ({ currentTarget }: { currentTarget: HTMLSelectElement }): void => {
    const chosen = options.find((option) => option.value === currentTarget.value);
    if (chosen !== undefined) onChange(chosen.value);
  };
  return (
    <div class="field">
      <label for={control.id}>{label}</label>
      <select {...control} onChange={choose}>
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
  const { control, notes } = useField(props);
  return (
    <div class="field">
      <label class="check" for={control.id}>
        <input
          {...control}
          type="checkbox"
          checked={checked}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {notes}
    </div>
  );
}
