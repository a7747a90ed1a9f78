/** Adds a filter: a button that becomes a field, in which typed letters find attributes, and what the app itself calls its own. */
import { useRef, useState } from 'preact/hooks';
import { AddButton } from './buttons.tsx';
import { Combobox, type Option } from './combobox.tsx';
import { type Attribute, attributes, describe, families, type FilterJson, firstCriteria } from './language.ts';
import { useNames, useValues } from './suggestions.ts';

export function AddFilter(props: {
  label: string;
  /** Why none can be added. */
  disabled: string | undefined;
  /** @param isWhole whether it was found with its value: a tag by its name */
  onAdd: (filter: FilterJson, isWhole: boolean) => void;
}) {
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
        <AddButton why={disabled} onClick={() => setText('')}>
          {label}
        </AddButton>
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
            const isWhole = filter.name === 'tags' && filter.criteria.length > 0;
            // The line of any other filter opens, and takes the focus.
            if (isWhole) close();
            else setText(undefined);
            onAdd(filter, isWhole);
          }}
          onBlur={() => setText(undefined)}
        />
      )}
    </div>
  );
}

const OWN_MAX = 6;

/** @param text undefined while nobody asks; '' for all, under headings */
function useAttributes(text: string | undefined): (Option & { filter: FilterJson })[] {
  const names = useNames(text);
  const tags = useValues('tags', text === '' ? undefined : text);
  if (text === undefined) return [];
  const found = attributes.filter((one) => rank(one, text) < 2);
  const ranked = text === '' ? found : found.toSorted((left, right) => rank(left, text) - rank(right, text));
  const optionOf = (name: string, label: string, section?: string, detail?: string, own?: readonly string[]) => {
    const { kind = 'text' } = describe(name);
    const filter = { name, criteria: own ?? firstCriteria[kind] };
    return { key: `${name} ${label}`, label, detail, section: text === '' ? section : undefined, filter };
  };
  return [
    ...ranked.map(({ name, label, section }) => optionOf(name, label, section)),
    ...names.slice(0, OWN_MAX).map(({ name, label, detail = '' }) => {
      const family = families.find(({ prefix }) => name.startsWith(prefix))?.label ?? '';
      return optionOf(name, label, 'Of this app', `${family} · ${detail}`);
    }),
    ...tags
      .slice(0, OWN_MAX)
      .map(({ label, detail = '' }) => optionOf('tags', label, undefined, `tag · ${detail}`, [label])),
    ...(text === '' ? [] : families).map(({ prefix, label }) => optionOf(prefix + text, `${label} “${text}”`)),
  ];
}

/** 0 if it begins with the text, 1 if one of its words does. */
function rank({ label, name }: Attribute, text: string): number {
  const [words, asked] = [` ${label} ${name.replaceAll('_', ' ')}`.toLowerCase(), ` ${text.toLowerCase()}`];
  return words.startsWith(asked) ? 0 : words.includes(asked) ? 1 : 2;
}
