/** One change, or a run of the same that can be unfolded. */
import { setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { Icon } from '../../kit/icon.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { AuditEntry } from '../../replies.ts';
import { objectOf, wordsOf } from './words.ts';

/** Longer values are cut; pointing at them shows the whole. */
const SHOWN_CHARACTERS_MAX = 80;
/** Fewer are shown each in its own right. */
const RUN_MIN = 3;

export function Run({ run }: { run: readonly AuditEntry[] }) {
  const [first] = run;
  if (first === undefined || run.length < RUN_MIN) return run.map((entry) => <Entry key={entry.id} entry={entry} />);
  return (
    <li>
      <details>
        <summary>
          <Author entry={first} /> <span>{wordsOf(first.action, run.length)}</span>{' '}
          <span class="muted">
            <TimeAgo at={first.at} />
          </span>
        </summary>
        <ul class="lines">
          {run.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { action, at, by, object_id: id, address, request_id: request } = entry;
  const object = objectOf(entry);
  return (
    <li class="audit-entry">
      <div>
        <p>
          <button
            type="button"
            class="plain"
            title="Only changes by this author"
            onClick={() => setQuery({ by: by.id, cursor: undefined }, 'push')}>
            <Author entry={entry} />
          </button>{' '}
          {wordsOf(action, 1)}
          {object !== undefined && id !== null && (
            <>
              {' '}
              {object.path === undefined ? (
                <bdi>{object.name}</bdi>
              ) : (
                <a href={appAddress(object.path)}>
                  <bdi>{object.name}</bdi>
                </a>
              )}
              <button
                type="button"
                class="plain"
                aria-label={`Only changes of ${object.name}`}
                onClick={() => setQuery({ object: id, cursor: undefined }, 'push')}>
                <Icon name="search" />
              </button>
            </>
          )}
        </p>
        <Changes entry={entry} />
      </div>
      <p class="muted">
        <TimeAgo at={at} />
        {address !== null && <bdi title={request === null ? undefined : `Request ${request}`}>{address}</bdi>}
      </p>
    </li>
  );
}

const kinds = { key: 'API key', user: 'User', command_line: 'Command line', server: 'The server' } as const;

function Author({ entry: { by } }: { entry: AuditEntry }) {
  const name =
    by.kind === 'key' || by.kind === 'user' ? (by.name ?? `${kinds[by.kind]} ${by.id.slice(0, 8)}`) : kinds[by.kind];
  return (
    <strong>
      <bdi>{name}</bdi>
    </strong>
  );
}

/** The changed parts of an entry: `state: sending → canceled`. */
function Changes({ entry: { before, after } }: { entry: AuditEntry }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    names.length > 0 && (
      <ul class="in-line">
        {names.map((name) => (
          <li key={name} class="buttons">
            <span class="muted">{name.replaceAll('_', ' ')}</span>
            {before !== null && name in before && <Value value={before[name]} was />}
            {after !== null && name in after && <Value value={after[name]} />}
          </li>
        ))}
      </ul>
    )
  );
}

function Value({ value, was = false }: { value: unknown; was?: boolean }) {
  const text = textOf(value);
  const isLong = text.length > SHOWN_CHARACTERS_MAX;
  const Element = was ? 'del' : 'ins';
  return (
    <Element>
      <span class="visually-hidden">{was ? 'before: ' : 'after: '}</span>
      <bdi title={isLong ? text : undefined}>{isLong ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text}</bdi>
    </Element>
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return '–';
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join(', ')
    : JSON.stringify(value);
}
