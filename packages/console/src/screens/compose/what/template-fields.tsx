/** Turns texts into templates, and writes attributes of the device into them. */
import { useRef, useState } from 'preact/hooks';
import { describe, isObject } from '../../../filter-builder/language.ts';
import { Checkbox, Select, TextField } from '../../../kit/form.tsx';
import { withValue } from '../draft/content-sections.ts';
import { change } from '../draft/draft.ts';
import { KEY_LABELS } from '../draft/faults.ts';
import { useWritten } from '../form.tsx';

const KEYS = ['title', 'subtitle', 'alert', 'image'] as const;

const CUSTOM = 'custom';
const ATTRIBUTES =
  'user_id user_email marketing_name platform os_name os_version app_version sdk_version locale country time_zone';
const VALUES = [
  { value: CUSTOM, label: 'custom attribute …' },
  ...ATTRIBUTES.split(' ').map((value) => ({ value, label: describe(value).subject })),
  { value: 'id', label: 'device id' },
];

const ON_MISSING = [
  { value: 'empty', label: 'The text is sent without the value' },
  { value: 'skip', label: 'Nothing is sent to the device' },
] as const;

/**
 * Inserts at the caret of the text that was edited last; at first, into the text of the push.
 * @returns `into` is the label of that field; `remember` is for events of keys and clicks in the fields
 */
export function useInsertion() {
  const { notification, section } = useWritten();
  const last = useRef<HTMLInputElement | HTMLTextAreaElement>(null);
  const [into, setInto] = useState<(typeof KEYS)[number]>('alert');
  return {
    into: KEY_LABELS[into],
    remember: (event: Event): void => {
      // Passing a field with the Tab key is not editing it.
      if (event instanceof KeyboardEvent && ['Tab', 'Shift'].includes(event.key)) return;
      const { target } = event;
      if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
      const name = target.closest<HTMLElement>('[data-key]')?.dataset['key'];
      const key = KEYS.find((one) => one === name);
      if (key === undefined) return;
      last.current = target;
      setInto(key);
    },
    insert: (text: string): void => {
      const field = last.current ?? document.querySelector<HTMLTextAreaElement>('[data-key=alert] textarea');
      if (field === null) return;
      const { value } = field;
      const from = field.selectionStart ?? value.length;
      const to = field.selectionEnd ?? from;
      change(withValue(notification, section, into, value.slice(0, from) + text + value.slice(to)));
      // The field has the new text only after the next render.
      requestAnimationFrame(() => {
        field.focus();
        field.setSelectionRange(from + text.length, from + text.length);
      });
    },
  };
}

type Insertion = ReturnType<typeof useInsertion>;

export function TemplateFields({ insertion }: { insertion: Insertion }) {
  const { notification, faultAt, set } = useWritten();
  const { template } = notification;
  const isOn = template !== undefined && template !== false;
  return (
    <div class="stack">
      <Checkbox
        label="Put values of the device into the texts"
        hint={isOn ? undefined : 'Such as a name: Hello {{ custom.first_name }}.'}
        checked={isOn}
        error={isOn ? undefined : faultAt('template')}
        onChange={(chosen) => set('template', chosen || undefined)}
      />
      {isOn && (
        <div class="card stack">
          <InsertFields insertion={insertion} />
          <Select
            label="If a value is missing and has no text in its place"
            value={isObject(template) && template['on_missing'] === 'skip' ? 'skip' : 'empty'}
            options={ON_MISSING}
            error={faultAt('template') ?? faultAt('template.on_missing')}
            onChange={(rule) => set('template', rule === 'skip' ? { on_missing: 'skip' } : true)}
          />
        </div>
      )}
    </div>
  );
}

function InsertFields({ insertion }: { insertion: Insertion }) {
  const [attribute, setAttribute] = useState(CUSTOM);
  const [name, setName] = useState('');
  const [otherwise, setOtherwise] = useState('');
  const isCustom = attribute === CUSTOM;
  const value = isCustom ? customValue(name.trim()) : `device.${attribute}`;
  const whole = otherwise === '' ? value : `${value} | default: ${quoted(otherwise)}`;
  return (
    <>
      <div class="compose-pair">
        <Select label="Value" value={attribute} options={VALUES} onChange={setAttribute} />
        {isCustom && <TextField label="Name of the custom attribute" code value={name} onInput={setName} />}
        <TextField label="Text in its place if it is missing" value={otherwise} onInput={setOtherwise} />
      </div>
      <div class="buttons">
        <button
          type="button"
          disabled={isCustom && name.trim() === ''}
          onClick={() => insertion.insert(`{{ ${whole} }}`)}>
          Insert into {insertion.into}
        </button>
        <span class="hint">
          Filters such as <code>| truncate: 20</code> follow the value.
        </span>
      </div>
    </>
  );
}

function customValue(name: string): string {
  return /^[a-z_][\w-]*$/i.test(name) ? `custom.${name}` : `custom[${quoted(name)}]`;
}

/** A text of the template language, which has no way to write both kinds of quotation marks in one. */
function quoted(text: string): string {
  return text.includes('"') ? `'${text.replaceAll("'", '’')}'` : `"${text}"`;
}
