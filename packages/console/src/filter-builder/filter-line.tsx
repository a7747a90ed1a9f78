/** One filter: a sentence on a line, with its counts. A click or Enter opens it for editing, and Escape or Enter closes it again. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { formatNumber } from '../kit/format.ts';
import type { Content } from '../kit/content.ts';
import { Checkbox } from '../kit/form.tsx';
import { Icon } from '../kit/icon.tsx';
import { BooleanCriteria, PermissionCriteria } from './choice-criteria.tsx';
import { CriterionList } from './criterion-list.tsx';
import { type Fault, FaultLines, faultsBelow } from './faults.tsx';
import { describe, type FilterJson } from './language.ts';
import { PlaceCriteria } from './map/place-criteria.tsx';
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
        {counts !== undefined && <Counts counts={counts} isFirst={number === 1} />}
        <button type="button" class="plain muted" aria-label={`Remove filter ${number}`} onClick={onRemove}>
          <Icon name="cross" />
        </button>
      </div>
      <FaultLines faults={faults.filter(({ path }) => !isOpen || !path.startsWith('criteria['))} />
      {isOpen && (
        <div
          ref={editor}
          id={id}
          class="filter-editor"
          role="group"
          aria-label={`Filter ${number}`}
          onKeyDown={(event) => event.key === 'Escape' && close()}>
          <Editor {...props} onDone={close} />
          <button type="button" onClick={close}>
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
