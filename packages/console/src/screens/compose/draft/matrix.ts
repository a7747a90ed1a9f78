/** The content as a matrix: a row per language, a column per variant, a cell per section. */
import { DEFAULT, isSameSection, languagesOf, type Section, valuesOf } from './content-sections.ts';
import type { Fault } from './faults.ts';
import type { JsonObject } from './members.ts';
import { variantsOf } from './variants.ts';

export interface Cell {
  section: Section;
  /** `empty`: it leaves everything to other sections. */
  state: 'empty' | 'written' | 'warning' | 'fault';
}

export interface Matrix {
  /** Positions of variants; undefined: what all variants have. */
  columns: readonly (number | undefined)[];
  rows: readonly { language: string | undefined; cells: readonly Cell[] }[];
}

/** @returns undefined for a content with one language and no variants, which is a single section */
export function matrixOf(notification: JsonObject, faults: readonly Fault[]): Matrix | undefined {
  const columns = [undefined, ...variantsOf(notification).keys()];
  const languages = [undefined, ...languagesOf(notification)];
  if (columns.length === 1 && languages.length === 1) return undefined;
  const rows = languages.map((language) => ({
    language,
    cells: columns.map((variant) => cellOf(notification, { variant, language }, faults)),
  }));
  return { columns, rows };
}

function cellOf(notification: JsonObject, section: Section, faults: readonly Fault[]): Cell {
  const kinds = new Set(
    faults.filter((one) => one.section && isSameSection(one.section, section)).map(kindOf),
  );
  if (kinds.has('fault')) return { section, state: 'fault' };
  if (kinds.has('warning')) return { section, state: 'warning' };
  return { section, state: Object.keys(valuesOf(notification, section)).length > 0 ? 'written' : 'empty' };
}

function kindOf({ kind }: Fault): Fault['kind'] {
  return kind;
}

/** Whether nobody has written anything yet: such a form is not marked as faulty. */
export function isUnwritten(notification: JsonObject): boolean {
  const others = languagesOf(notification).length + variantsOf(notification).length;
  return others === 0 && Object.keys(valuesOf(notification, DEFAULT)).length === 0;
}
