/** The devices of a notification by their outcome. Every filter is in the address. */
import { call } from '../../frame/api.ts';
import { addressOf, place, setQuery } from '../../frame/router.ts';
import { app, appAddress } from '../../frame/session.ts';
import { DownloadButton } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { formatNumber, zoneName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { OutcomeBar, outcomeLabels } from '../../kit/outcome-bar.tsx';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { Pages, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Choose } from './choose.tsx';
import type { Notification } from '../notifications/notification.tsx';
import { OutcomeFilters, filterNames } from './filters.tsx';
import { groupLabel, groupsOf } from './searched.ts';
import type { DeliveryList, FoundDelivery } from '../../replies.ts';

/** A page of the API may be short or empty; at most this many are read until there is something to show. */
const PAGES_READ_MAX = 25;
const PER_PAGE = 100;

export function Outcomes(): Content {
  const id = place.value.query.get('notification') ?? '';
  return (
    <div class="stack">
      {id === '' ? (
        <>
          <h1>Outcomes</h1>
          <Choose />
        </>
      ) : (
        <OfNotification key={id} id={id} />
      )}
    </div>
  );
}

function OfNotification({ id }: { id: string }): Content {
  const { query } = place.value;
  const path = `/v6/notifications/${encodeURIComponent(id)}`;
  const filter = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? undefined]));
  const cursor = query.get('cursor') ?? undefined;
  const withFilter = (address: string, extra: Readonly<Record<string, string | number | undefined>>): string =>
    addressOf(address, { ...filter, ...extra });
  const listed = {
    method: 'GET',
    path: withFilter(`${path}/deliveries`, { per: PER_PAGE, cursor }),
  } as const;
  const exportAs = (format: 'csv' | 'ndjson') =>
    ({ method: 'GET', path: withFilter(`${path}/deliveries/export`, { format }) }) as const;

  const about = useResource(async (signal) => call<Notification>({ method: 'GET', path }, signal), [app.value?.id, id]);
  const found = useResource(
    async (signal) =>
      readFilled((next) => withFilter(`${path}/deliveries`, { per: PER_PAGE, cursor: next }), cursor, signal),
    [app.value?.id, listed.path],
  );
  const { data, error, isLoading } = found.state.value;
  const searched = about.state.value.data;
  const groups = searched === undefined ? [] : groupsOf(searched);
  return (
    <>
      <div class="screen-head">
        <h1>Outcomes</h1>
        <div class="buttons">
          <Curl call={listed} />
          <DownloadButton label="Export CSV" fileName={`outcomes-${id}.csv`} call={exportAs('csv')} />
          <DownloadButton label="Export NDJSON" fileName={`outcomes-${id}.ndjson`} call={exportAs('ndjson')} />
        </div>
      </div>
      <About id={id} notification={searched} />
      <OutcomeFilters groups={groups} />
      {error !== undefined && <Failure error={error} retry={found.reload} />}
      {data === undefined && isLoading && <Loading what="Searching the outcomes" />}
      {data !== undefined && <Found page={data} />}
    </>
  );
}

/** Reads further pages while a page is empty, so that the reader need not. */
async function readFilled(
  pathAt: (cursor: string | undefined) => string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<DeliveryList> {
  let page = await call<DeliveryList>({ method: 'GET', path: pathAt(cursor) }, signal);
  for (let read = 1; page.deliveries.length === 0 && page.meta.cursor !== null && read < PAGES_READ_MAX; read++) {
    page = await call<DeliveryList>({ method: 'GET', path: pathAt(page.meta.cursor) }, signal);
  }
  return page;
}

function About({ id, notification }: { id: string; notification: Notification | undefined }): Content {
  const payload = notification?.notification.payload;
  const title = payload?.title ?? payload?.alert;
  return (
    <div class="card outcomes-about">
      <p class="outcomes-title">
        <a href={appAddress(`notifications/${encodeURIComponent(id)}`)}>
          <bdi>{typeof title === 'string' ? title : id}</bdi>
        </a>
        {notification !== undefined && (
          <>
            {' '}
            <span class="muted">
              {formatNumber(notification.devices)} devices, {notification.state}
            </span>
          </>
        )}
        <button
          type="button"
          class="quiet"
          onClick={() => setQuery({ notification: undefined, cursor: undefined }, 'push')}>
          Another notification
        </button>
      </p>
      {notification !== undefined && <OutcomeBar counts={notification} legend />}
    </div>
  );
}

function Found({ page }: { page: DeliveryList }): Content {
  const { cursor } = page.meta;
  const columns = [
    {
      title: 'Device',
      cell: ({ device_id: id }: FoundDelivery) => <code>{id}</code>,
    },
    {
      title: 'Outcome',
      cell: ({ outcome }: FoundDelivery) => (
        <span class="outcomes-kind">
          <span class={`swatch ${outcome}`} aria-hidden="true" />
          {outcomeLabels[outcome]}
        </span>
      ),
    },
    ...(page.deliveries.some(({ variant }) => variant !== null)
      ? [
          {
            title: 'Variant',
            cell: ({ variant }: FoundDelivery) => <bdi>{variant === null ? '–' : groupLabel(variant)}</bdi>,
          },
        ]
      : []),
    { title: 'Reason', cell: ({ reason }: FoundDelivery) => <bdi>{reason ?? '–'}</bdi> },
    {
      title: 'Platform',
      cell: ({ platform }: FoundDelivery) => platform ?? <span class="muted">erased</span>,
    },
    {
      title: 'App version',
      cell: ({ app_version: version }: FoundDelivery) => <bdi>{version ?? '–'}</bdi>,
    },
    { title: `When (${zoneName()})`, cell: ({ at }: FoundDelivery) => <Time at={at} bare /> },
  ];
  return (
    <>
      {page.deliveries.length === 0 ? (
        <Empty
          title={cursor === null ? 'No device matches these filters.' : 'Nothing among the devices searched so far.'}
        />
      ) : (
        <div class="table-frame">
          <Table
            label="Devices"
            columns={columns}
            rows={page.deliveries}
            keyOf={({ device_id: id }: FoundDelivery) => id}
            hrefOf={({ device_id: id }: FoundDelivery) => appAddress(`devices/${id}`)}
          />
        </div>
      )}
      <Pages
        next={cursor}
        labels={{ first: 'First page', next: page.deliveries.length === 0 ? 'Search on' : 'Next page' }}
      />
    </>
  );
}
