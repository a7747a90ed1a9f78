/** One filter: a sentence on a line, with its counts. A click or Enter opens it for editing, and Escape or Enter closes it again. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Checkbox } from '../kit/form.tsx';
import { formatNumber } from '../kit/format.ts';
import { RemoveButton } from './buttons.tsx';
import type { FilterCount } from '../replies.ts';
import { CriterionList } from './criterion-list.tsx';
import { type CriteriaProps, type Fault, FaultLines, faultsBelow } from './faults.tsx';
import { describe, type FilterJson, permissions } from './language.ts';
import { PlaceCriteria } from './map/place-criteria.tsx';
import { TextCriteria } from './text-criteria.tsx';
import { conditionWords, subjectWords } from './words.ts';

export function FilterLine(props: {
  filter: FilterJson;
  /** From 1. */
  number: number;
  faults: readonly Fault[];
  counts: FilterCount | undefined;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  onChange: (filter: FilterJson) => void;
  onRemove: () => void;
}) {
  const { filter, number, faults, counts, isOpen, setOpen, onChange, onRemove } = props;
  const id = useId();
  const line = useRef<HTMLButtonElement>(null);
  const editor = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isOpen) editor.current?.querySelector<HTMLElement>('input, select')?.focus();
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
        <Counts counts={counts} isFirst={number === 1} />
        <RemoveButton what={`filter ${number}`} onClick={onRemove} />
      </div>
      <FaultLines faults={faults.filter(({ path }) => !isOpen || !path.startsWith('criteria['))} />
      {isOpen && (
        <div
          ref={editor}
          id={id}
          class="stack filter-editor"
          role="group"
          aria-label={`Filter ${number}`}
          onKeyDown={(event) => event.key === 'Escape' && close()}>
          <Criteria
            name={filter.name}
            criteria={filter.criteria}
            faults={faultsBelow(faults, 'criteria').filter(({ path }) => path !== '')}
            onChange={(criteria) => onChange({ ...filter, criteria })}
            onDone={close}
          />
          <Checkbox
            label="Leave these devices out"
            checked={filter.not_filter === true}
            hint={filter.not_filter === true ? 'Devices without this attribute stay in.' : undefined}
            onChange={(not) => onChange({ ...filter, not_filter: not })}
          />
          <button type="button" onClick={close}>
            Done
          </button>
        </div>
      )}
    </li>
  );
}

function Criteria(props: Parameters<typeof TextCriteria>[0]) {
  const { kind } = describe(props.name);
  if (kind === undefined) return <p class="fault">This is not an attribute. Its criteria can be changed as JSON.</p>;
  if (kind === 'text') return <TextCriteria {...props} />;
  if (kind === 'place') return <PlaceCriteria {...props} />;
  if (kind === 'permission' || kind === 'boolean') return <ChoiceCriteria {...props} kind={kind} />;
  return <CriterionList {...props} kind={kind} />;
}

/** A filter in words, with its attribute first; cut where the line ends. */
export function Sentence({ filter }: { filter: FilterJson }) {
  const [subject, condition] = [subjectWords(filter.name), conditionWords(filter)];
  return (
    <bdi title={`${subject} ${condition}`}>
      <strong>{subject}</strong> {condition}
    </bdi>
  );
}

export function Counts({ counts, isFirst }: { counts: FilterCount | undefined; isFirst: boolean }) {
  if (counts === undefined) return null;
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

const CHOICES = {
  permission: { legend: 'Notifications are', options: permissions },
  boolean: {
    legend: 'The value is',
    options: [
      { value: true, label: 'true' },
      { value: false, label: 'false' },
    ],
  },
} as const;

/** Criteria that are chosen from a few: permissions, true and false. */
function ChoiceCriteria({ kind, criteria, onChange }: CriteriaProps & { kind: keyof typeof CHOICES }) {
  const { legend, options } = CHOICES[kind];
  return (
    <fieldset class="in-line">
      <legend>{legend}</legend>
      {options.map(({ value, label }) => (
        <Checkbox
          key={label}
          label={label}
          checked={criteria.includes(value)}
          onChange={(isOn) => onChange([...criteria.filter((one) => one !== value), ...(isOn ? [value] : [])])}
        />
      ))}
    </fieldset>
  );
}
