/** Adds a filter: a button that becomes a field, in which typed letters find attributes, and what the app itself calls its own. */
import { useRef, useState } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { Icon } from '../kit/icon.tsx';
import { Combobox, type Option } from './combobox.tsx';
import {
  type Attribute,
  attributes,
  customLabels,
  describe,
  type FilterJson,
  firstCriteria,
  sections,
} from './language.ts';
import { useNames, useValues } from './suggestions.ts';

interface AttributeOption extends Option {
  filter: FilterJson;
}

export function AddFilter(props: {
  label: string;
  /** Why none can be added. */
  disabled: string | undefined;
  onAdd: (filter: FilterJson) => void;
}): Content {
  const { label, disabled, onAdd } = props;
  const [text, setText] = useState<string | undefined>(undefined);
  const frame = useRef<HTMLDivElement>(null);
  const close = (): void => {
    setText(undefined);
    requestAnimationFrame(() => frame.current?.querySelector('button')?.focus());
  };
  return (
    <div
      ref={frame}
      class="filter-add"
      onKeyDownCapture={(event) => {
        if (event.key !== 'Escape' || text === undefined) return;
        event.stopPropagation();
        close();
      }}>
      {text === undefined ? (
        <button type="button" disabled={disabled !== undefined} title={disabled} onClick={() => setText('')}>
          <Icon name="plus" />
          {label}
        </button>
      ) : (
        <AttributeField
          text={text}
          onInput={setText}
          onLeave={() => setText(undefined)}
          onChoose={({ filter }) => {
            // The line of any other filter opens, and takes the focus.
            if (filter.name === 'tags' && filter.criteria.length > 0) close();
            else setText(undefined);
            onAdd(filter);
          }}
        />
      )}
    </div>
  );
}

function AttributeField(props: {
  text: string;
  onInput: (text: string) => void;
  onChoose: (option: AttributeOption) => void;
  onLeave: () => void;
}): Content {
  const { text, onInput, onChoose, onLeave } = props;
  const asked = text.trim();
  const names = useNames(asked);
  const tags = useValues('tags', asked === '' ? undefined : asked);
  const own = names.slice(0, OWN_MAX).map(({ name, label, detail }) => ({
    key: name,
    label,
    detail: `${kindOf(name)} · ${detail ?? ''}`,
    section: 'Of this app',
    filter: { name, criteria: firstCriteria(describe(name).kind) },
  }));
  const tagged = tags.slice(0, OWN_MAX).map(({ label, detail }) => ({
    key: `tags ${label}`,
    label,
    detail: `tag · ${detail ?? ''}`,
    section: 'Of this app',
    filter: { name: 'tags', criteria: [label] },
  }));
  const built = builtIn(asked);
  const options: AttributeOption[] =
    asked === ''
      ? [...built, ...own, ...written('')]
      : [...built, ...own, ...tagged, ...written(asked)].map(({ key, label, detail, filter }) => ({
          key,
          label,
          detail,
          filter,
        }));
  return (
    <Combobox
      label="Attribute"
      value={text}
      placeholder="Attribute, tag or event …"
      options={options}
      takesFirst
      isFocused
      onInput={onInput}
      onChoose={onChoose}
      onBlur={onLeave}
    />
  );
}

const OWN_MAX = 6;

/** Attributes of every device whose words begin with the text; all of them for ''. */
function builtIn(text: string): AttributeOption[] {
  const asked = text.toLowerCase();
  const rank = (label: string, name: string): number => {
    if (label.startsWith(asked) || name.startsWith(asked)) return 0;
    return ` ${label} ${name.replaceAll('_', ' ')}`.toLowerCase().includes(` ${asked}`) ? 1 : 2;
  };
  const rankOf = ({ label, name }: Attribute): number => rank(label.toLowerCase(), name);
  const matching = attributes.filter((attribute) => rankOf(attribute) < 2);
  const ordered =
    text === ''
      ? sections.flatMap((section) => matching.filter((attribute) => attribute.section === section))
      : matching.toSorted((left, right) => rankOf(left) - rankOf(right));
  return ordered.map(({ name, label, kind, section }) => ({
    key: name,
    label,
    section,
    filter: { name, criteria: firstCriteria(kind) },
  }));
}

/** Custom attributes and events by a name that no device has yet, or that is still to be written. */
function written(text: string): AttributeOption[] {
  return Object.entries(customLabels).map(([prefix, label]) => ({
    key: `${prefix}${text} written`,
    label: text === '' ? label : `${label} “${text}”`,
    section: 'By name',
    filter: { name: `${prefix}${text}`, criteria: firstCriteria(describe(`${prefix}x`).kind) },
  }));
}

function kindOf(name: string): string {
  const described = describe(name);
  return described.family === 'custom' ? (customLabels[`custom.${described.type}.`] ?? '') : 'event';
}
