/** The devices of a notification by their outcome. Every filter is in the address. */
import { call } from '../../../frame/api.ts';
import { addressOf, place } from '../../../frame/router.ts';
import { app, appAddress } from '../../../frame/session.ts';
import { DownloadButton } from '../../../kit/action.tsx';
import { Curl } from '../../../kit/developer/curl.tsx';
import { plural } from '../../../kit/format.ts';
import { OutcomeBar, Swatch } from '../../../kit/outcome-bar.tsx';
import { Empty, useResource, Waiting } from '../../../kit/states.tsx';
import { type Column, Pages, Table, TwoLines } from '../../../kit/table.tsx';
import { TimeAgo } from '../../../kit/time.tsx';
import type { DeliveryList, FoundDelivery, NotificationReport } from '../../../replies.ts';
import { type Counters, groupLabel, type Notification, notificationPath, outcomesOf } from '../notification.tsx';
import { filterNames, OutcomeFilters, reasonWords } from './filters.tsx';

/** A page of the API may be short or empty; at most this many are read until there is something to show. */
const PAGES_READ_MAX = 25;
const PER_PAGE = 50;

/** @param props.report undefined until it is read */
export function Outcomes(props: {
  notification: Notification;
  counters: Counters;
  report: NotificationReport | undefined;
}) {
  const { notification, counters, report } = props;
  const { id } = notification;
  const { query } = place.value;
  const path = `${notificationPath(id)}/deliveries`;
  const filter = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? undefined]));
  const cursor = query.get('cursor') ?? undefined;
  const pathAt = (at: string | undefined): string => addressOf(path, { ...filter, per: PER_PAGE, cursor: at });
  const exportAs = (format: 'csv' | 'ndjson') =>
    ({ method: 'GET', path: addressOf(`${path}/export`, { ...filter, format }) }) as const;
  const { state, reload } = useResource(
    async (signal) => readFilled(pathAt, cursor, signal),
    [app.value?.id, pathAt(cursor)],
  );
  const { data } = state.value;
  return (
    <>
      <div class="screen-head">
        <h2>{plural(counters.devices, 'device')}</h2>
        <div class="buttons">
          <Curl call={{ method: 'GET', path: pathAt(cursor) }} />
          <DownloadButton label="Export CSV" fileName={`outcomes-${id}.csv`} call={exportAs('csv')} />
          <DownloadButton label="Export NDJSON" fileName={`outcomes-${id}.ndjson`} call={exportAs('ndjson')} />
        </div>
      </div>
      {counters.devices > 0 && <OutcomeBar counts={outcomesOf(counters)} legend />}
      <OutcomeFilters groups={groupsOf(notification)} reasons={report?.reasons ?? []} />
      <Waiting of={state.value} retry={reload} what="Searching the outcomes" />
      {data !== undefined && <Found page={data} />}
    </>
  );
}

/** The groups of an A/B test; empty if the notification is none. */
function groupsOf({ notification: { variants, hold_out: holdOut } }: Notification): readonly string[] {
  const names = variants?.map(({ name }) => name) ?? [];
  return holdOut === undefined || variants === undefined ? names : [...names, 'hold_out'];
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

const columns: readonly Column<FoundDelivery>[] = [
  { title: 'Device', cell: (row) => <TwoLines name={nameOf(row)} text={modelOf(row)} /> },
  { title: 'Outcome', cell: ({ outcome }) => <Swatch outcome={outcome} /> },
  {
    title: 'Reason',
    grows: true,
    cell: ({ reason }) => <bdi title={reason ?? undefined}>{reason === null ? '–' : reasonWords(reason)}</bdi>,
  },
  { title: 'When', cell: ({ at }) => <TimeAgo at={at} /> },
];
const variantColumn: Column<FoundDelivery> = {
  title: 'Variant',
  cell: ({ variant }) => <bdi>{variant === null ? '–' : groupLabel(variant)}</bdi>,
};

function nameOf({ user_id: user, platform, device_id: id }: FoundDelivery): string {
  if (platform === null) return `Erased device ${id.slice(0, 8)}`;
  return user ?? `Device ${id.slice(0, 8)}`;
}

/** 'iPhone 17 · version 2.10.1' */
function modelOf({ marketing_name: model, platform, app_version: version }: FoundDelivery): string | undefined {
  if (platform === null) return undefined;
  return [model ?? platform, version !== null && `version ${version}`].filter(Boolean).join(' · ');
}

function Found({ page: { deliveries, meta } }: { page: DeliveryList }) {
  const isTest = deliveries.some(({ variant }) => variant !== null);
  const title = meta.cursor === null ? 'No device matches these filters' : 'Nothing among the devices searched so far';
  return (
    <>
      {deliveries.length === 0 ? (
        <Empty title={title} />
      ) : (
        <div class="table-frame">
          <Table
            label="Devices"
            columns={isTest ? [...columns, variantColumn] : columns}
            rows={deliveries}
            keyOf={({ device_id: id }: FoundDelivery) => id}
            hrefOf={({ device_id: id }: FoundDelivery) => appAddress(`devices/${id}`)}
          />
        </div>
      )}
      <Pages
        next={meta.cursor}
        labels={{ first: 'First page', next: deliveries.length === 0 ? 'Search on' : 'Next page' }}
      />
    </>
  );
}
