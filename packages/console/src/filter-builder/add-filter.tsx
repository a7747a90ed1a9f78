/** Adds a filter: a button that becomes a field, in which typed letters find attributes, and what the app itself calls its own. */
import { useRef, useState } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { Icon } from '../kit/icon.tsx';
import { Combobox, type Option } from './combobox.tsx';
import { type Attribute, attributes, customLabels, describe, type FilterJson, firstCriteria } from './language.ts';
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
  const options = useAttributes(text?.trim());
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
        <Combobox
          aria-label="Attribute"
          value={text}
          placeholder="Attribute, tag or event …"
          options={options}
          takesFirst
          isFocused
          onText={setText}
          onChoose={({ filter }) => {
            // The line of any other filter opens, and takes the focus.
            if (filter.name === 'tags' && filter.criteria.length > 0) close();
            else setText(undefined);
            onAdd(filter);
          }}
          onBlur={() => setText(undefined)}
        />
      )}
    </div>
  );
}

const OWN_MAX = 6;

/** @param text undefined while nobody asks; '' for all, under headings */
function useAttributes(text: string | undefined): AttributeOption[] {
  const names = useNames(text);
  const tags = useValues('tags', text === '' ? undefined : text);
  if (text === undefined) return [];
  const ranked = attributes.filter((attribute) => rank(attribute, text) < 2);
  const built = text === '' ? ranked : ranked.toSorted((left, right) => rank(left, text) - rank(right, text));
  const headed = (section: string): string | undefined => (text === '' ? section : undefined);
  return [
    ...built.map(({ name, label, section }) => optionOf(name, label, { section: headed(section) })),
    ...names.slice(0, OWN_MAX).map(({ name, label, detail = '' }) => {
      const prefix = Object.keys(customLabels).find((one) => name.startsWith(one)) ?? '';
      return optionOf(name, label, {
        detail: `${customLabels[prefix] ?? ''} · ${detail}`,
        section: headed('Of this app'),
      });
    }),
    ...tags.slice(0, OWN_MAX).map(({ label, detail = '' }) => ({
      key: `tags ${label}`,
      label,
      detail: `tag · ${detail}`,
      filter: { name: 'tags', criteria: [label] },
    })),
    ...(text === '' ? [] : Object.entries(customLabels)).map(([prefix, label]) =>
      optionOf(`${prefix}${text}`, `${label} “${text}”`, { section: undefined }),
    ),
  ];
}

function optionOf(
  name: string,
  label: string,
  more: { detail?: string; section: string | undefined },
): AttributeOption {
  return { key: `${name} ${label}`, label, ...more, filter: { name, criteria: firstCriteria(describe(name).kind) } };
}

/** 0 if it begins with the text, 1 if one of its words does. */
function rank({ label, name }: Attribute, text: string): number {
  const [words, asked] = [` ${label} ${name.replaceAll('_', ' ')}`.toLowerCase(), ` ${text.toLowerCase()}`];
  return words.startsWith(asked) ? 0 : words.includes(asked) ? 1 : 2;
}
