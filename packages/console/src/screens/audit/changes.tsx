import type { Content } from '../../kit/content.ts';
import type { AuditEntry } from '../../replies.ts';

/** Longer values are cut; pointing at them shows the whole. */
const SHOWN_CHARACTERS_MAX = 80;

/** The changed parts of an entry, one per line: `state: scheduled → canceled`. */
export function Changes({ entry: { before, after } }: { entry: AuditEntry }): Content {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return <span class="muted">–</span>;
  return (
    <ul class="audit-changes">
      {names.map((name) => (
        <li key={name}>
          <span class="muted">{name}</span>
          {before !== null && name in before && (
            <>
              {' '}
              <Value value={before[name]} was />
            </>
          )}
          {after !== null && name in after && (
            <>
              {' '}
              <Value value={after[name]} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Value({ value, was = false }: { value: unknown; was?: boolean }): Content {
  const text = textOf(value);
  const isLong = text.length > SHOWN_CHARACTERS_MAX;
  const shown = isLong ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
  const title = isLong ? text : undefined;
  return was ? (
    <del>
      <span class="visually-hidden">before: </span>
      <bdi title={title}>{shown}</bdi>
    </del>
  ) : (
    <ins>
      <span class="visually-hidden">after: </span>
      <bdi title={title}>{shown}</bdi>
    </ins>
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return '–';
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join(', ')
    : JSON.stringify(value);
}
