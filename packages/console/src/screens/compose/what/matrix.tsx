/** Chooses the section of the content that is written: a row per language, a column per variant. Arrow keys move between the cells. */
import { useRef } from 'preact/hooks';
import { languageName } from '../../../kit/format.ts';
import { Icon } from '../../../kit/icon.tsx';
import { isSameSection, sectionWords } from '../draft/content-sections.ts';
import type { Cell } from '../draft/faults.ts';
import { variantName } from '../draft/variants.ts';
import { chooseSection, useWritten } from '../form.tsx';

const MARKS = {
  empty: { icon: undefined, words: 'nothing of its own' },
  written: { icon: 'check', words: 'written' },
  warning: { icon: 'warning', words: 'has a warning' },
  fault: { icon: 'warning', words: 'has faults' },
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
    const next = [
      (row + down + rows.length) % rows.length,
      (column + right + columns.length) % columns.length,
    ] as const;
    const cell = rows[next[0]]?.[next[1]];
    if (cell === undefined) return;
    chooseSection(cell.section);
    grid.current?.querySelectorAll<HTMLElement>('button')[next[0] * columns.length + next[1]]?.focus();
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
        {columns.map(({ section: { variant } }) => (
          <span role="columnheader" key={String(variant)}>
            <bdi>
              {variant !== undefined
                ? variantName(notification, variant)
                : columns.length > 1
                  ? 'All variants'
                  : 'Text'}
            </bdi>
          </span>
        ))}
      </div>
      {rows.map((cells) => {
        const language = cells[0]?.section.language;
        const name = language === undefined ? 'Default' : languageName(language);
        return (
          <div role="row" key={language ?? ''}>
            <span role="rowheader" title={language ? undefined : 'What devices of every other language get'}>
              <bdi>{name}</bdi> {language !== undefined && name !== language && <bdi class="muted">{language}</bdi>}
            </span>
            {cells.map(({ section, state }) => {
              const isChosen = isSameSection(section, chosen);
              const { icon, words } = MARKS[state];
              return (
                <span role="gridcell" key={String(section.variant)} aria-selected={isChosen}>
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
                    {icon === undefined ? <span aria-hidden="true">–</span> : <Icon name={icon} />}
                  </button>
                </span>
              );
            })}
          </div>
        );
      })}
    </div>
  );
}
