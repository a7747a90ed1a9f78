/** The audit log: who changed what. Every filter is in the address. */
import { call } from '../../frame/api.ts';
import { addressOf, place, setQuery } from '../../frame/router.ts';
import { app, may } from '../../frame/session.ts';
import { DownloadButton } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Select, SubmittedField, TextField } from '../../kit/form.tsx';
import { formatTime, zoneName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { NEWEST_FIRST, Pages, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { actionLabels } from './action-labels.ts';
import { Changes } from './changes.tsx';
import type { AuditEntry, AuditList } from '../../replies.ts';

const FILTERS = ['by', 'action', 'object', 'from', 'to'] as const;

/** @returns the present filters in the API's form, with `extra` */
function queryWith(extra: Readonly<Record<string, string>>): string {
  const { query } = place.value;
  const given = FILTERS.flatMap((name) => {
    const value = query.get(name);
    return value === null || value === '' ? [] : [[name, value]];
  });
  return addressOf('', { ...Object.fromEntries(given), ...extra }).replace(/^\./, '');
}

export function Audit(): Content {
  if (!may('admin')) {
    return (
      <div class="stack">
        <h1>Audit log</h1>
        <Empty title="Only admins of this app may read its audit log" />
      </div>
    );
  }
  return <Log />;
}

function Log(): Content {
  const cursor = place.value.query.get('cursor') ?? '';
  const listed = {
    method: 'GET',
    path: `/v6/audit${queryWith({ per: '50', ...(cursor !== '' && { cursor }) })}`,
  } as const;
  const exported = { method: 'GET', path: `/v6/audit/export${queryWith({})}` } as const;
  const { state, reload } = useResource(
    async (signal) => call<AuditList>(listed, signal),
    [app.value?.id, listed.path],
  );
  const { data, error, isLoading } = state.value;
  const isFiltered = FILTERS.some((name) => place.value.query.has(name));
  return (
    <div class="stack">
      <div class="screen-head">
        <h1>Audit log</h1>
        <div class="buttons">
          <Curl call={listed} />
          <DownloadButton label="Export" fileName="audit.ndjson" call={exported} />
        </div>
      </div>
      <Filters />
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && isLoading && <Loading what="Reading the log" />}
      {data !== undefined && <Entries page={data} isFiltered={isFiltered} isLater={cursor !== ''} />}
    </div>
  );
}

function Filters(): Content {
  const { query } = place.value;
  const set = (name: (typeof FILTERS)[number]) => (value: string) => setQuery({ [name]: value, cursor: undefined });
  return (
    <div class="toolbar audit-filters" role="search" aria-label="Filters">
      <Select
        label="What"
        value={query.get('action') ?? ''}
        options={[
          { value: '', label: 'Every change' },
          ...Object.entries(actionLabels).map(([value, label]) => ({ value, label })),
        ]}
        onChange={set('action')}
      />
      <SubmittedField label="By (id)" code value={query.get('by') ?? ''} onSubmit={set('by')} />
      <SubmittedField label="Object (id)" code value={query.get('object') ?? ''} onSubmit={set('object')} />
      <Moment label="From" value={query.get('from') ?? ''} onChange={set('from')} />
      <Moment label="Until" value={query.get('to') ?? ''} onChange={set('to')} />
      {FILTERS.some((name) => query.has(name)) && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            setQuery({ ...Object.fromEntries(FILTERS.map((name) => [name, undefined])), cursor: undefined }, 'push');
          }}>
          Clear
        </button>
      )}
    </div>
  );
}

/** A moment in the reader's zone; the address contains it in UTC. */
function Moment(props: { label: string; value: string; onChange: (value: string) => void }): Content {
  const { label, value, onChange } = props;
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

function localOf(utc: string): string {
  const at = new Date(utc);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function Entries(props: { page: AuditList; isFiltered: boolean; isLater: boolean }): Content {
  const { page, isFiltered, isLater } = props;
  if (page.entries.length === 0) {
    return isFiltered || isLater ? (
      <Empty title="No change matches these filters" />
    ) : (
      <Empty title="Nothing has been changed yet">
        <p>Changes by people, by commands, and the rare changes by API keys appear here.</p>
      </Empty>
    );
  }
  const columns = [
    {
      title: `When (${zoneName()})`,
      cell: ({ at }: AuditEntry) => (
        <span class="audit-when">
          <Time at={at} bare />
        </span>
      ),
    },
    { title: 'Who', cell: (entry: AuditEntry) => <Who entry={entry} /> },
    { title: 'What', cell: (entry: AuditEntry) => <What entry={entry} /> },
    { title: 'Before → after', cell: (entry: AuditEntry) => <Changes entry={entry} /> },
    { title: 'Address', cell: (entry: AuditEntry) => <From entry={entry} /> },
  ];
  return (
    <>
      <div class="table-frame">
        <Table label="Changes" columns={columns} rows={page.entries} keyOf={({ id }: AuditEntry) => id} />
      </div>
      <Pages next={page.meta.cursor} labels={NEWEST_FIRST}>
        {!isLater && <span class="muted">As of {formatTime(Date.now())}</span>}
      </Pages>
    </>
  );
}

const kindLabels = {
  key: 'API key',
  user: 'User',
  command_line: 'Command line',
  server: 'The server',
} as const;

function Who({ entry: { by } }: { entry: AuditEntry }): Content {
  const shown = by.kind === 'key' ? (by.name ?? <span class="audit-address">{by.id.slice(0, 8)}</span>) : by.name;
  return (
    <button
      type="button"
      class="plain audit-by"
      title={`Only changes by ${by.id}`}
      onClick={() => setQuery({ by: by.id, cursor: undefined }, 'push')}>
      <span class="muted">{kindLabels[by.kind]}</span>
      {shown !== null && (
        <>
          {' '}
          <bdi>{shown}</bdi>
        </>
      )}
    </button>
  );
}

function What({ entry: { action, object_id: id } }: { entry: AuditEntry }): Content {
  return (
    <span class="audit-what">
      <span>{actionLabels[action] ?? action}</span>
      {id !== null && (
        <button
          type="button"
          class="plain"
          title="Only changes of this object"
          onClick={() => setQuery({ object: id, cursor: undefined }, 'push')}>
          <code>{id}</code>
        </button>
      )}
    </span>
  );
}

function From({ entry: { address, request_id: request } }: { entry: AuditEntry }): Content {
  if (address === null) return <span class="muted">–</span>;
  return (
    <code class="audit-address" title={request === null ? undefined : `Request ${request}`}>
      {address}
    </code>
  );
}
