/** Chooses the section of the content that is written: a row per language, a column per variant. Arrow keys move between the cells. */
import { useRef } from 'preact/hooks';
import { languageName } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import { Icon } from '../../../kit/icon.tsx';
import { isSameSection, type Section } from '../draft/content-sections.ts';
import type { Cell, Matrix } from '../draft/matrix.ts';
import type { JsonObject } from '../draft/members.ts';
import { sectionWords } from '../draft/section-words.ts';
import { variantName, variantsOf } from '../draft/variants.ts';
import { chooseSection } from './chosen-section.ts';

const MARKS = {
  empty: { icon: undefined, words: 'nothing of its own' },
  written: { icon: 'check', words: 'written' },
  warning: { icon: 'warning', words: 'has a warning' },
  fault: { icon: 'warning', words: 'has faults' },
} as const;

export function SectionMatrix(props: { notification: JsonObject; matrix: Matrix; chosen: Section }): Content {
  const { notification, matrix, chosen } = props;
  const { columns, rows } = matrix;
  const grid = useRef<HTMLDivElement>(null);
  const row = rows.findIndex(({ language }) => language === chosen.language);
  const column = columns.indexOf(chosen.variant);
  const move = (event: KeyboardEvent): void => {
    const [down, right] = STEPS[event.key] ?? [0, 0];
    if (down === 0 && right === 0) return;
    event.preventDefault();
    const nextRow = (row + down + rows.length) % rows.length;
    const nextColumn = (column + right + columns.length) % columns.length;
    const cell = rows[nextRow]?.cells[nextColumn];
    if (cell === undefined) return;
    chooseSection(cell.section);
    grid.current?.querySelectorAll<HTMLElement>('button')[nextRow * columns.length + nextColumn]?.focus();
  };
  return (
    <div
      ref={grid}
      role="grid"
      aria-label="Texts"
      class="compose-matrix"
      style={{ '--columns': String(columns.length) }}
      onKeyDown={move}>
      <div role="row">
        <span role="columnheader">Language</span>
        {columns.map((variant) => (
          <span role="columnheader" key={String(variant)}>
            <bdi>{headingOf(notification, variant)}</bdi>
          </span>
        ))}
      </div>
      {rows.map(({ language, cells }) => (
        <div role="row" key={language ?? ''}>
          <span role="rowheader" title={language === undefined ? EVERY_OTHER : undefined}>
            <bdi>{language === undefined ? 'Default' : languageName(language)}</bdi>{' '}
            {language !== undefined && languageName(language) !== language && <bdi class="muted">{language}</bdi>}
          </span>
          {cells.map((cell) => (
            <CellButton
              key={String(cell.section.variant)}
              cell={cell}
              name={sectionWords(notification, cell.section)}
              isChosen={isSameSection(cell.section, chosen)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function headingOf(notification: JsonObject, variant: number | undefined): string {
  if (variant !== undefined) return variantName(notification, variant);
  return variantsOf(notification).length > 0 ? 'All variants' : 'Text';
}

const EVERY_OTHER = 'What devices of every other language get';

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

function CellButton({ cell, name, isChosen }: { cell: Cell; name: string; isChosen: boolean }): Content {
  const { section, state } = cell;
  const { icon, words } = MARKS[state];
  return (
    <span role="gridcell" aria-selected={isChosen}>
      <button
        type="button"
        class="quiet"
        data-state={state}
        tabindex={isChosen ? 0 : -1}
        aria-pressed={isChosen}
        onClick={() => chooseSection(section)}>
        <span class="visually-hidden">
          <bdi>{name}</bdi>: {words}
        </span>
        {icon === undefined ? <span aria-hidden="true">–</span> : <Icon name={icon} />}
      </button>
    </span>
  );
}
