import { addressOf, place } from '../frame/router.ts';
import type { Content } from './content.ts';
import { Waiting } from './states.tsx';

export interface Column<Row> {
  title: string;
  /** Numbers are aligned at the end. */
  align?: 'end';
  cell: (row: Row) => Content;
  /** Takes the space that the others leave; its text, in the direction of its first letters, is cut instead of wrapped. */
  grows?: true;
}

interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  hrefOf?: (row: Row) => string;
  /** With `grid`, its cells are chosen with the arrow keys. */
  role?: 'table' | 'grid';
}

/** A table whose rows become cards on a phone. `hrefOf` makes the first cell a link, and the whole row clickable. */
export function Table<Row>(props: TableProps<Row> & { rows: readonly Row[]; keyOf: (row: Row) => string }) {
  const { label, columns, rows, keyOf, hrefOf, role = 'table' } = props;
  // Roles are written out: with `display: grid` on a phone, browsers forget that it is a table.
  return (
    <table class="table" role={role} aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, align }) => (
            <th role="columnheader" scope="col" class={align}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row" key={keyOf(row)} class={hrefOf && 'clickable'}>
            {columns.map(({ title, align, cell, grows }, index) => (
              <td
                role={cellRole(role, index)}
                data-label={title}
                class={[align, grows && 'grows'].filter(Boolean).join(' ')}>
                <div class="cell" dir={grows && 'auto'}>
                  {index === 0 && hrefOf !== undefined ? (
                    <a class="row-link" href={hrefOf(row)}>
                      {cell(row)}
                    </a>
                  ) : (
                    cell(row)
                  )}
                </div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function cellRole(role: 'table' | 'grid', column: number) {
  if (role === 'table') return 'cell';
  return column === 0 ? 'rowheader' : 'gridcell';
}

/** A table of what `useReply` has read; if it has no rows, its children. */
export function List<Row extends { id: string }>(
  props: TableProps<Row> & {
    of: Parameters<typeof Waiting>[0]['of'];
    rows: readonly Row[] | undefined;
    children?: Content;
  },
) {
  const { of, rows = [], children } = props;
  return (
    <>
      <Waiting of={of} />
      {of.data !== undefined && rows.length === 0 && children}
      {rows.length > 0 && (
        <div class="table-frame">
          <Table {...props} rows={rows} keyOf={({ id }) => id} />
        </div>
      )}
    </>
  );
}

/** The name of a thing over what explains it, each on a line of its own that is cut at its end: the first cell of a list's row. */
export function TwoLines({ name, text }: { name: Content; text?: Content }) {
  return (
    <span class="two-lines">
      <bdi>{name}</bdi>
      {text !== undefined && text !== '' && <bdi class="muted">{text}</bdi>}
    </span>
  );
}

export const NEWEST_FIRST = { first: 'Newest', next: 'Older' } as const;

/**
 * Links to the first and to the next page of a list whose cursor is in the address. Nothing if there is one page only.
 * @param props.next the cursor of the next page; null on the last one
 * @param props.children the content next to the links
 */
export function Pages(props: { next: string | null; labels?: { first: string; next: string }; children?: Content }) {
  const { next, labels = { first: 'First page', next: 'Next page' }, children } = props;
  const { path, query } = place.value;
  const addressAt = (cursor: string | undefined): string => addressOf(path, { ...Object.fromEntries(query), cursor });
  const isLater = (query.get('cursor') ?? '') !== '';
  if (!isLater && next === null && !children) return null;
  return (
    <nav class="buttons" aria-label="Pages">
      {isLater && (
        <a class="button" href={addressAt(undefined)}>
          {labels.first}
        </a>
      )}
      {next !== null && (
        <a class="button" href={addressAt(next)}>
          {labels.next}
        </a>
      )}{' '}
      {children}
    </nav>
  );
}
