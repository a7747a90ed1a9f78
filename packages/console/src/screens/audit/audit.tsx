/** The audit log: who changed what. Every filter is in the address. */
import { addressOf, go, place, setQuery } from '../../frame/router.ts';
import { may } from '../../frame/session.ts';
import { DownloadButton } from '../../kit/action.tsx';
import { Select, TextField } from '../../kit/form.tsx';
import { zoneName } from '../../kit/format.ts';
import { Empty, useReply, Waiting } from '../../kit/states.tsx';
import { NEWEST_FIRST, Pages } from '../../kit/table.tsx';
import type { AuditEntry, AuditList } from '../../replies.ts';
import { Run } from './entry.tsx';
import { findAuthors, findObjects, NameField } from './name-field.tsx';
import { actionWords, runsOf } from './words.ts';

const FILTERS = ['by', 'action', 'object', 'from', 'to'] as const;
const dayName = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

export function Audit() {
  if (may('admin')) return <Log />;
  return (
    <div class="stack">
      <h1>Audit log</h1>
      <Empty title="Only admins of this app may read its audit log" icon="audit" />
    </div>
  );
}

function Log() {
  const { query } = place.value;
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? undefined]));
  const cursor = query.get('cursor') ?? undefined;
  const read = useReply<AuditList>({ method: 'GET', path: addressOf('/v6/audit', { ...filters, per: 50, cursor }) });
  const exported = { method: 'GET', path: addressOf('/v6/audit/export', filters) } as const;
  const { data } = read;
  const isFiltered = FILTERS.some((name) => query.has(name));
  return (
    <div class="stack">
      <div class="screen-head">
        <h1>Audit log</h1>
        <DownloadButton label="Export" fileName="audit.ndjson" call={exported} />
      </div>
      <Filters isFiltered={isFiltered} />
      <Waiting of={read} what="Reading the log" />
      {data?.entries.length === 0 && (
        <Empty title={isFiltered ? 'No change matches these filters' : 'Nothing has been changed yet'} icon="audit" />
      )}
      {data !== undefined && (
        <>
          {daysOf(data.entries).map(([day, entries]) => (
            <section key={day} aria-label={day}>
              <h2>{day}</h2>
              <ul class="lines">
                {runsOf(entries).map((run) => (
                  <Run key={run[0]?.id} run={run} />
                ))}
              </ul>
            </section>
          ))}
          <Pages next={data.meta.cursor} labels={NEWEST_FIRST} />
        </>
      )}
    </div>
  );
}

/** By the days of the reader's clock. */
function daysOf(entries: readonly AuditEntry[]): readonly (readonly [string, readonly AuditEntry[]])[] {
  return [...Map.groupBy(entries, ({ at }) => dayName.format(new Date(at)))];
}

function Filters({ isFiltered }: { isFiltered: boolean }) {
  const { query } = place.value;
  return (
    <div class="toolbar notifications-filters" role="search" aria-label="Filters">
      <NameField label="Who" placeholder="A name" value={query.get('by') ?? ''} find={findAuthors} onPick={set('by')} />
      <Select
        label="What"
        value={query.get('action') ?? ''}
        options={[
          { value: '', label: 'Every change' },
          ...Object.entries(actionWords).map(([value, label]) => ({ value, label })),
        ]}
        onChange={set('action')}
      />
      <NameField
        label="Object"
        placeholder="A name, a title, a user or an id"
        value={query.get('object') ?? ''}
        find={findObjects}
        onPick={set('object')}
      />
      <Moment label="From" value={query.get('from') ?? ''} onChange={set('from')} />
      <Moment label="Until" value={query.get('to') ?? ''} onChange={set('to')} />
      {isFiltered && (
        <button type="button" class="quiet" onClick={() => go(place.value.path)}>
          Clear
        </button>
      )}
    </div>
  );
}

function set(name: (typeof FILTERS)[number]): (value: string) => void {
  return (value) => setQuery({ [name]: value, cursor: undefined });
}

/** A moment in the reader's zone; the address contains it in UTC. */
function Moment({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const change = (local: string): void => {
    const at = new Date(local);
    onChange(Number.isNaN(at.getTime()) ? '' : at.toISOString());
  };
  return (
    <TextField
      label={`${label} (${zoneName(value === '' ? undefined : value)})`}
      type="datetime-local"
      value={localOf(value)}
      onInput={change}
    />
  );
}

/** As a field for it takes it: '2026-11-23T17:31'. Swedish writes times nearly so. */
function localOf(utc: string): string {
  return utc === '' ? '' : new Date(utc).toLocaleString('sv').slice(0, 16).replace(' ', 'T');
}
