/** Chooses the section of the content that is written: a row per language, a column per variant. Arrow keys move between the cells. */
import { useRef } from 'preact/hooks';
import { Icon } from '../../../kit/icon.tsx';
import { Table } from '../../../kit/table.tsx';
import { isSameSection, sectionWords } from '../draft/content-sections.ts';
import type { Cell } from '../draft/faults.ts';
import { variantName } from '../draft/variants.ts';
import { chooseSection, useWritten } from '../form.tsx';
import { LocaleName } from './locales.tsx';

const MARKS = {
  empty: { icon: undefined, tone: '', words: 'nothing of its own' },
  written: { icon: 'check', tone: 'good', words: 'written' },
  warning: { icon: 'warning', tone: 'warn', words: 'has a warning' },
  fault: { icon: 'warning', tone: 'bad', words: 'has faults' },
} as const;

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

export function SectionMatrix({ rows }: { rows: readonly (readonly Cell[])[] }) {
  const { notification, section: chosen } = useWritten();
  const grid = useRef<HTMLDivElement>(null);
  const [columns = []] = rows;
  const move = (event: KeyboardEvent): void => {
    const [down, right] = STEPS[event.key] ?? [0, 0];
    if (down === 0 && right === 0) return;
    event.preventDefault();
    const row = rows.findIndex(([cell]) => cell?.section.language === chosen.language);
    const column = columns.findIndex(({ section }) => section.variant === chosen.variant);
    const nextRow = (row + down + rows.length) % rows.length;
    const nextColumn = (column + right + columns.length) % columns.length;
    const cell = rows[nextRow]?.[nextColumn];
    if (cell === undefined) return;
    chooseSection(cell.section);
    grid.current?.querySelectorAll<HTMLElement>('button')[nextRow * columns.length + nextColumn]?.focus();
  };
  const nameOf = (variant: number | undefined): string => {
    if (variant !== undefined) return variantName(notification, variant);
    return columns.length > 1 ? 'All variants' : 'Text';
  };
  return (
    <div ref={grid} class="table-frame compose-matrix" onKeyDown={move}>
      <Table
        role="grid"
        label="Texts"
        columns={[
          { title: 'Language', cell: ([first]) => <RowName language={first?.section.language} /> },
          ...columns.map(({ section: { variant } }, index) => ({
            title: nameOf(variant),
            cell: (cells: readonly Cell[]) => cells[index] && <CellButton {...cells[index]} />,
          })),
        ]}
        rows={rows}
        keyOf={([first]) => first?.section.language ?? ''}
      />
    </div>
  );
}

function RowName({ language }: { language: string | undefined }) {
  if (language !== undefined) return <LocaleName locale={language} />;
  return <span title="What devices of every other language get">Default</span>;
}

function CellButton({ section, state }: Cell) {
  const { notification, section: chosen } = useWritten();
  const isChosen = isSameSection(section, chosen);
  const { icon, tone, words } = MARKS[state];
  return (
    <button
      type="button"
      class="quiet"
      data-state={state}
      tabindex={isChosen ? 0 : -1}
      aria-pressed={isChosen}
      onClick={() => chooseSection(section)}>
      <span class="visually-hidden">
        <bdi>{sectionWords(notification, section)}</bdi>: {words}
      </span>
      <span class={`toned ${tone}`} aria-hidden="true">
        {icon === undefined ? '–' : <Icon name={icon} />}
      </span>
    </button>
  );
}
