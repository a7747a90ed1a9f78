/** The list of notifications, newest first. */
import { addressOf, place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { LinkButton } from '../../kit/action.tsx';
import { Select, TextField } from '../../kit/form.tsx';
import { formatNumber } from '../../kit/format.ts';
import { Empty, useDebounced, useReply, Waiting } from '../../kit/states.tsx';
import { NEWEST_FIRST, Pages } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Colours, NotificationTable } from './columns.tsx';
import { type NotificationPage, stateLabels } from './notification.tsx';
import { useUpdates } from './rows-in-progress.ts';

const PER_PAGE = 25;
/** What is typed is searched for once it has not changed for so long. */
const TYPING_MS = 300;
/** The beginning of an id, as lists and logs show it. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f-]*)?$|^[0-9a-f]{8}-[0-9a-f-]{1,27}$/i;

const stateOptions = Object.entries({ '': 'Any state', ...stateLabels }).map(([value, label]) => ({ value, label }));

export function NotificationList() {
  const { query } = place.value;
  const [q = '', state = '', cursor = ''] = ['q', 'state', 'cursor'].map((name) => query.get(name) ?? '');
  const late = useDebounced(q, TYPING_MS);
  const filters = { state, ...(ID.test(late) ? { id: late } : { text: late.trim() }) };
  const read = useReply<NotificationPage>({
    method: 'GET',
    path: addressOf('/v6/notifications', { per: PER_PAGE, cursor, ...filters }),
  });
  const { data, error } = read;
  const newest = cursor === '' ? data?.meta.newest : undefined;
  const { newer, present } = useUpdates(data?.notifications, newest, filters);
  const rows = data?.notifications.map((row) => present.get(row.id) ?? row) ?? [];

  return (
    <div class="stack">
      <div class="screen-head">
        <h1>Notifications</h1>
        <div class="buttons">
          <LinkButton label="Calendar" href={appAddress('notifications/calendar')} />
          {may('sender') && <LinkButton label="Compose" href={appAddress('compose')} kind="primary" />}
        </div>
      </div>
      <search class="toolbar">
        <div class="notifications-search">
          <TextField
            label="Search"
            type="search"
            value={q}
            onInput={(text) => setQuery({ q: text, cursor: undefined })}
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
      <div class="notifications-newer" role="status">
        {newer.count > 0 && (
          <button type="button" onClick={read.reload}>
            {formatNumber(newer.count)}
            {newer.more ? ' or more' : ''} new
          </button>
        )}
      </div>
      <Waiting of={read} />
      {rows.length > 0 && (
        <>
          <NotificationTable label="Notifications" rows={rows} />
          <Colours />
        </>
      )}
      {data !== undefined && rows.length === 0 && error === undefined && (
        <Nothing isSearch={q !== '' || state !== ''} meta={data.meta} />
      )}
      {data !== undefined && <Further meta={data.meta} />}
    </div>
  );
}

function Nothing({ isSearch, meta }: { isSearch: boolean; meta: NotificationPage['meta'] }) {
  if (!isSearch) {
    return (
      <Empty title="Nothing has been sent yet" icon="notification">
        <p>Every notification that this app sends will be listed here, with what became of it.</p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing found">
      <p>
        {meta.searched_until === null
          ? 'No notification matches the search.'
          : 'There may be a match among older ones.'}{' '}
        <a href={appAddress('notifications')}>Show all</a>
      </p>
    </Empty>
  );
}

function Further({ meta: { cursor, searched_until: until } }: { meta: NotificationPage['meta'] }) {
  const labels = until === null ? NEWEST_FIRST : { ...NEWEST_FIRST, next: 'Search older ones' };
  return (
    <Pages next={cursor} labels={labels}>
      {until !== null && (
        <span class="muted">
          Searched back to <Time at={until} />.
        </span>
      )}
    </Pages>
  );
}
