/** The list of notifications, newest first. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { addressOf, place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { Select, TextField } from '../../kit/form.tsx';
import { formatNumber, zoneName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { useDebounced, useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { type Column, NEWEST_FIRST, Pages, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import {
  type NotificationPage,
  makerWords,
  type Notification,
  StateBadge,
  stateLabels,
  states,
  targetWords,
  textOf,
  titleOf,
} from './notification.tsx';
import { outcomeColumns } from './outcome-columns.tsx';
import { useUpdates } from './rows-in-progress.ts';

const PER_PAGE = 25;
const TYPING_MS = 300;
/** The beginning of an id, as lists and logs show it. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f-]*)?$|^[0-9a-f]{8}-[0-9a-f-]{1,27}$/i;

const stateOptions = [
  { value: '', label: 'Any state' },
  ...states.map((state) => ({ value: state, label: stateLabels[state] })),
];

export function NotificationList(): Content {
  const { query } = place.value;
  const [q, state, cursor] = ['q', 'state', 'cursor'].map((name) => query.get(name) ?? '');
  const filters = { state, ...(ID.test(q ?? '') ? { id: q } : { text: q?.trim() }) };
  const request: ApiCall = {
    method: 'GET',
    path: addressOf('/v6/notifications', { per: PER_PAGE, cursor, ...filters }),
  };
  const { state: resource, reload } = useResource(
    async (signal) => call<NotificationPage>(request, signal),
    [request.path],
  );
  const { data, error, isLoading } = resource.value;
  const isSearch = Boolean(q) || Boolean(state);
  const newest = cursor === '' ? data?.meta.newest : undefined;
  const { newer, present } = useUpdates(data?.notifications, newest, filters);
  const rows = data?.notifications.map((row) => present.get(row.id) ?? row) ?? [];

  return (
    <div class="stack">
      <div class="screen-head">
        <h1>Notifications</h1>
        <div class="buttons">
          <Curl call={request} />
          {may('sender') && (
            <a class="button primary" href={appAddress('compose')}>
              Compose
            </a>
          )}
        </div>
      </div>
      <Filters q={q} state={state} />
      {error !== undefined && <Failure error={error} retry={reload} />}
      <div class="notifications-newer" role="status">
        {newer.count > 0 && (
          <button type="button" onClick={reload}>
            {formatNumber(newer.count)}
            {newer.more ? ' or more' : ''} new
          </button>
        )}
      </div>
      {data === undefined && error === undefined && <Loading />}
      {rows.length > 0 && (
        <div class="table-frame" aria-busy={isLoading}>
          <Table
            label="Notifications"
            columns={columns()}
            rows={rows}
            keyOf={(row: Notification) => row.id}
            hrefOf={(row: Notification) => appAddress(`notifications/${row.id}`)}
          />
        </div>
      )}
      {data !== undefined && rows.length === 0 && error === undefined && (
        <Nothing isSearch={isSearch} meta={data.meta} />
      )}
      {data !== undefined && <Further meta={data.meta} isEmpty={rows.length === 0} />}
    </div>
  );
}

/** Typed text appears in the address a moment later. */
function Filters({ q = '', state = '' }: { q: string | undefined; state: string | undefined }): Content {
  const [typed, setTyped] = useState(q);
  const late = useDebounced(typed, TYPING_MS);
  useEffect(() => {
    if (late !== q) setQuery({ q: late, cursor: undefined });
  }, [late]);
  // "Back" changes the text in the field; a text that was just written to the address must not, because somebody may
  // still be typing.
  useEffect(() => {
    if (q !== late) setTyped(q);
  }, [q]);
  return (
    <search class="toolbar">
      <div class="notifications-search">
        <TextField
          label="Search"
          type="search"
          value={typed}
          onInput={setTyped}
          placeholder="Words of the text, or an id"
        />
      </div>
      <Select
        label="State"
        value={state}
        options={stateOptions}
        onChange={(value) => setQuery({ state: value, cursor: undefined }, 'push')}
      />
    </search>
  );
}

function columns(): readonly Column<Notification>[] {
  return [
    { title: 'Text', grows: true, cell: (row) => <Text row={row} /> },
    { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    {
      title: 'Audience',
      cell: (row) => (
        <span class="notifications-cut" dir="auto">
          {targetWords(row)}
        </span>
      ),
    },
    ...outcomeColumns,
    {
      title: 'By',
      cell: (row) => (
        <span class="notifications-cut" dir="auto">
          {makerWords(row)}
        </span>
      ),
    },
    {
      title: `Due (${zoneName()})`,
      cell: ({ due_at: at }) => (
        <span class="notifications-when">
          <Time at={at} bare />
        </span>
      ),
    },
  ];
}

function Text({ row }: { row: Notification }): Content {
  const text = textOf(row);
  return (
    <>
      <span class="notifications-title">{titleOf(row)}</span>
      {text !== undefined && (
        <>
          {' '}
          <bdi class="muted">{text}</bdi>
        </>
      )}
    </>
  );
}

function Nothing({ isSearch, meta }: { isSearch: boolean; meta: NotificationPage['meta'] }): Content {
  if (!isSearch) {
    return (
      <Empty title="Nothing has been sent yet">
        <p>Every notification that this app sends will be listed here, with what became of it.</p>
        {may('sender') && (
          <a class="button" href={appAddress('compose')}>
            Compose the first one
          </a>
        )}
      </Empty>
    );
  }
  return (
    <Empty title="Nothing found">
      {meta.searched_until === null ? (
        <p>
          No notification matches the search. <a href={appAddress('notifications')}>Show all</a>
        </p>
      ) : (
        <p>
          No match among the notifications that were searched, back to <Time at={meta.searched_until} />.
        </p>
      )}
    </Empty>
  );
}

function Further({ meta, isEmpty }: { meta: NotificationPage['meta']; isEmpty: boolean }): Content {
  const { cursor, searched_until: until } = meta;
  const labels = until === null ? NEWEST_FIRST : { ...NEWEST_FIRST, next: 'Search older ones' };
  return (
    <Pages next={cursor} labels={labels}>
      {until !== null && !isEmpty && (
        <span class="muted">
          Searched back to <Time at={until} />.
        </span>
      )}
    </Pages>
  );
}
