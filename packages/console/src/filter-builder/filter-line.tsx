/** One filter: a sentence on a line, with its counts. A click or Enter opens it for editing, and Escape or Enter closes it again. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatNumber } from '../kit/format.ts';
import type { Content } from '../kit/content.ts';
import { Checkbox } from '../kit/form.tsx';
import { Icon } from '../kit/icon.tsx';
import { BooleanCriteria, PermissionCriteria } from './choice-criteria.tsx';
import { Combobox } from './combobox.tsx';
import { CriterionList } from './criterion-list.tsx';
import { faultsBelow, type Fault } from './faults.ts';
import { describe, type FilterJson } from './language.ts';
import { PlaceCriteria } from './map/place-criteria.tsx';
import { useNames } from './suggestions.ts';
import { TextCriteria } from './text-criteria.tsx';
import type { FilterCount } from '../replies.ts';
import { conditionWords, subjectWords } from './words.ts';

interface LineProps {
  filter: FilterJson;
  /** From 1. */
  number: number;
  faults: readonly Fault[];
  counts: FilterCount | undefined;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  onChange: (filter: FilterJson) => void;
  onRemove: () => void;
}

export function FilterLine(props: LineProps): Content {
  const { filter, number, faults, counts, isOpen, setOpen, onRemove } = props;
  const id = useId();
  const line = useRef<HTMLButtonElement>(null);
  const editor = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const isNamed = !filter.name.endsWith('.');
    const first = isNamed ? '.filter-text-new input, :is(input, select):not(.filter-name *)' : 'input';
    if (isOpen) editor.current?.querySelector<HTMLElement>(first)?.focus();
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    line.current?.focus();
  };
  return (
    <li class={isOpen ? 'filter open' : 'filter'}>
      <div class="filter-line">
        <button
          ref={line}
          type="button"
          class="plain filter-sentence"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}>
          <Sentence filter={filter} />
        </button>
        {counts !== undefined && <Counts counts={counts} isFirst={number === 1} />}
        <button type="button" class="plain filter-remove" aria-label={`Remove filter ${number}`} onClick={onRemove}>
          <Icon name="cross" />
        </button>
      </div>
      {faults
        .filter(({ path }) => !isOpen || path === '' || path === 'criteria')
        .map(({ path, message }) => (
          <p class="fault" key={path}>
            {message}
          </p>
        ))}
      {isOpen && (
        <div
          ref={editor}
          id={id}
          class="filter-editor"
          role="group"
          aria-label={`Filter ${number}`}
          onKeyDown={(event) => event.key === 'Escape' && close()}>
          <Editor {...props} onDone={close} />
          <button type="button" class="filter-done" onClick={close}>
            Done
          </button>
        </div>
      )}
    </li>
  );
}

/** A filter in words, with its attribute first; cut where the line ends. */
export function Sentence({ filter }: { filter: FilterJson }): Content {
  const [subject, condition] = [subjectWords(filter.name), conditionWords(filter)];
  return (
    <bdi title={`${subject} ${condition}`}>
      <strong>{subject}</strong> {condition}
    </bdi>
  );
}

export function Counts({ counts, isFirst }: { counts: FilterCount; isFirst: boolean }): Content {
  const { device_count: alone, left_count: left } = counts;
  return (
    <span class="filter-counts">
      <span title="Devices that this filter selects alone">
        {alone === null ? 'not counted in time' : `${formatNumber(alone)} alone`}
      </span>
      <span title="Devices that this filter and all above it select">
        {!isFirst && left !== null && `${formatNumber(left)} together`}
      </span>
    </span>
  );
}

function Editor({ filter, faults, onChange, onDone }: LineProps & { onDone: () => void }): Content {
  const change = (criteria: readonly unknown[]): void => onChange({ ...filter, criteria });
  return (
    <>
      <NameField
        filter={filter}
        error={faults.find(({ path }) => path === 'name')?.message}
        onChange={(name) => onChange({ ...filter, name })}
      />
      <Criteria
        filter={filter}
        faults={faultsBelow(faults, 'criteria').filter(({ path }) => path !== '')}
        onChange={change}
        onDone={onDone}
      />
      <Checkbox
        label="Leave these devices out"
        checked={filter.not_filter === true}
        hint={filter.not_filter === true ? 'Devices without this attribute stay in.' : undefined}
        onChange={(not) => onChange({ ...filter, not_filter: not })}
      />
    </>
  );
}

interface CriteriaProps {
  filter: FilterJson;
  faults: readonly Fault[];
  onChange: (criteria: readonly unknown[]) => void;
  onDone: () => void;
}

function Criteria({ filter, ...props }: CriteriaProps): Content {
  const { name, criteria } = filter;
  const { kind } = describe(name);
  switch (kind) {
    case 'text':
      return <TextCriteria {...props} name={name} criteria={criteria} />;
    case 'permission':
      return <PermissionCriteria {...props} criteria={criteria} />;
    case 'boolean':
      return <BooleanCriteria {...props} criteria={criteria} />;
    case 'place':
      return <PlaceCriteria {...props} criteria={criteria} />;
    case 'number':
    case 'version':
    case 'date':
    case 'event':
      return <CriterionList {...props} name={name} kind={kind} criteria={criteria} />;
    case undefined:
      return <p class="fault">This is not an attribute. Its criteria can be changed as JSON.</p>;
  }
}

/** The name of a custom attribute or an event; other attributes are what they are. */
function NameField(props: {
  filter: FilterJson;
  error: string | undefined;
  onChange: (name: string) => void;
}): Content {
  const { filter, error, onChange } = props;
  const id = useId();
  const [asked, setAsked] = useState<string | undefined>(undefined);
  const described = describe(filter.name);
  const family =
    described.family === 'custom' ? `custom.${described.type}.` : described.family === 'event' ? 'events.' : undefined;
  const options = useNames(family === undefined ? undefined : asked, family).filter(({ name }) => name !== filter.name);
  if (family === undefined) return null;
  const isEvent = family === 'events.';
  const written = filter.name.slice(family.length);
  return (
    <div class="field filter-name">
      <label for={id}>{isEvent ? 'Name of the event' : 'Name'}</label>
      <Combobox
        id={id}
        class="code"
        value={written}
        isInvalid={error !== undefined}
        options={options}
        onInput={(text) => {
          setAsked(text);
          onChange(`${family}${text}`);
        }}
        onChoose={({ name }) => onChange(name)}
        onFocus={() => setAsked('')}
        onBlur={() => setAsked(undefined)}
      />
      {isEvent && written === '' && <span class="hint">As a filter names it: purchase, or Public Api.purchase</span>}
      {error !== undefined && <span class="fault">{error}</span>}
    </div>
  );
}
