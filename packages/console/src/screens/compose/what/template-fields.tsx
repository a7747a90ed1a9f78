/** Turns texts into templates, and writes attributes of the device into them. */
import { useRef, useState } from 'preact/hooks';
import { isObject } from '../../../filter-builder/language.ts';
import { Checkbox, Select, TextField } from '../../../kit/form.tsx';
import type { Content } from '../../../kit/content.ts';
import { change } from '../draft/draft.ts';
import { KEY_LABELS } from '../draft/faults.ts';
import { type JsonObject, withMember } from '../draft/members.ts';
import { type Section, withValue } from '../draft/content-sections.ts';
import { faultAt } from '../preview.ts';
import type { Refusal } from '../../../tray/preview-reply.ts';

/** The keys that may be templates. */
const KEYS = ['title', 'subtitle', 'alert', 'image'] as const;

const CUSTOM = 'custom';

const ATTRIBUTES = [
  { value: CUSTOM, label: 'custom attribute …' },
  { value: 'user_id', label: 'user id' },
  { value: 'user_email', label: 'user e-mail' },
  { value: 'marketing_name', label: 'model' },
  { value: 'platform', label: 'platform' },
  { value: 'os_name', label: 'operating system' },
  { value: 'os_version', label: 'system version' },
  { value: 'app_version', label: 'app version' },
  { value: 'sdk_version', label: 'SDK version' },
  { value: 'locale', label: 'locale' },
  { value: 'country', label: 'country' },
  { value: 'time_zone', label: 'time zone' },
  { value: 'id', label: 'device id' },
] as const;

const ON_MISSING = [
  { value: 'empty', label: 'The text is sent without the value' },
  { value: 'skip', label: 'Nothing is sent to the device' },
] as const;

interface Insertion {
  /** The label of the field. */
  into: string;
  /** For events of keys and clicks in the fields. */
  remember: (event: Event) => void;
  insert: (text: string) => void;
}

/** Inserts at the caret of the text that was edited last; at first, into the text of the push. */
export function useInsertion(notification: JsonObject, section: Section): Insertion {
  const last = useRef<{ key: string; field: HTMLInputElement | HTMLTextAreaElement }>(undefined);
  const [into, setInto] = useState<(typeof KEYS)[number]>('alert');
  return {
    into: KEY_LABELS[into],
    remember: (event) => {
      // Passing a field with the Tab key is not editing it.
      if (event instanceof KeyboardEvent && ['Tab', 'Shift'].includes(event.key)) return;
      const { target } = event;
      if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
      const name = target.closest<HTMLElement>('[data-key]')?.dataset['key'];
      const key = KEYS.find((one) => one === name);
      if (key === undefined) return;
      last.current = { key, field: target };
      setInto(key);
    },
    insert: (text) => {
      const field = last.current?.field ?? document.querySelector<HTMLTextAreaElement>('[data-key=alert] textarea');
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

export function TemplateFields(props: {
  notification: JsonObject;
  refusal: Refusal | undefined;
  insertion: Insertion;
}): Content {
  const { notification, refusal, insertion } = props;
  const { template } = notification;
  const isOn = template !== undefined && template !== false;
  const set = (value: unknown): void => change(withMember(notification, 'template', value));
  const isSkipped = isObject(template) && template['on_missing'] === 'skip';
  return (
    <div class="compose-fields">
      <Checkbox
        label="Put values of the device into the texts"
        hint={isOn ? undefined : 'Such as a name: Hello {{ custom.first_name }}.'}
        checked={isOn}
        error={isOn ? undefined : faultAt(refusal, 'template')}
        onChange={(chosen) => set(chosen ? true : undefined)}
      />
      {isOn && (
        <div class="compose-fields compose-inner">
          <InsertFields insertion={insertion} />
          <Select
            label="If a value is missing and has no text in its place"
            value={isSkipped ? 'skip' : 'empty'}
            options={ON_MISSING}
            error={faultAt(refusal, 'template') ?? faultAt(refusal, 'template.on_missing')}
            onChange={(rule) => set(rule === 'skip' ? { on_missing: 'skip' } : true)}
          />
        </div>
      )}
    </div>
  );
}

function InsertFields({ insertion }: { insertion: Insertion }): Content {
  const [attribute, setAttribute] = useState<string>(CUSTOM);
  const [name, setName] = useState('');
  const [otherwise, setOtherwise] = useState('');
  const isCustom = attribute === CUSTOM;
  return (
    <>
      <div class="compose-pair">
        <Select label="Value" value={attribute} options={ATTRIBUTES} onChange={setAttribute} />
        {isCustom && <TextField label="Name of the custom attribute" code value={name} onInput={setName} />}
        <TextField label="Text in its place if it is missing" value={otherwise} onInput={setOtherwise} />
      </div>
      <div class="buttons">
        <button
          type="button"
          disabled={isCustom && name.trim() === ''}
          onClick={() =>
            insertion.insert(outputOf(isCustom ? customValue(name.trim()) : `device.${attribute}`, otherwise))
          }>
          Insert into {insertion.into}
        </button>
        <span class="hint">
          Filters such as <code>| truncate: 20</code> follow the value.
        </span>
      </div>
    </>
  );
}

function outputOf(value: string, otherwise: string): string {
  return otherwise === '' ? `{{ ${value} }}` : `{{ ${value} | default: ${quoted(otherwise)} }}`;
}

function customValue(name: string): string {
  return /^[a-z_][\w-]*$/i.test(name) ? `custom.${name}` : `custom[${quoted(name)}]`;
}

/** A text of the template language, which has no way to write both kinds of quotation marks in one. */
function quoted(text: string): string {
  return text.includes('"') ? `'${text.replaceAll("'", '’')}'` : `"${text}"`;
}
