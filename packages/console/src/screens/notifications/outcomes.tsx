/** The devices of a notification by their outcome, a tab of it. Every filter is in the address. */
import { useEffect } from 'preact/hooks';
import { call } from '../../frame/api.ts';
import { addressOf, go, place, setQuery } from '../../frame/router.ts';
import { app, appAddress } from '../../frame/session.ts';
import { DownloadButton } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Select, SubmittedField } from '../../kit/form.tsx';
import { formatNumber, plural } from '../../kit/format.ts';
import { OutcomeBar, outcomeLabels, outcomes, Swatch } from '../../kit/outcome-bar.tsx';
import { Empty, useResource, Waiting } from '../../kit/states.tsx';
import { type Column, Pages, Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { DeliveryList, FoundDelivery, NotificationReport, ReasonCount } from '../../replies.ts';
import {
  type Counters,
  groupLabel,
  type Notification,
  notificationPath,
  outcomesAddress,
  outcomesOf,
} from './notification.tsx';

const filterNames = ['outcome', 'reason', 'variant', 'platform', 'app_version'] as const;

/** No device has them as its outcome. */
const WAITING: ReadonlySet<string> = new Set(['pending', 'not_sent', 'left_out']);
const searched = outcomes.filter((outcome) => !WAITING.has(outcome));

const platforms = ['iOS', 'Android', 'Web'].map((value) => ({ value, label: value }));

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

/** The filters of the address. `groups` are those of an A/B test; `reasons` have their numbers of devices. */
function OutcomeFilters({ groups, reasons }: { groups: readonly string[]; reasons: readonly ReasonCount[] }) {
  const { query } = place.value;
  const outcome = query.get('outcome') ?? '';
  const ofOutcome = reasons.filter((one) => outcome === '' || one.outcome === outcome);
  const variants = groups.map((value) => ({ value, label: groupLabel(value) }));
  return (
    <div class="toolbar notifications-filters" role="search" aria-label="Filters">
      <Choice
        name="outcome"
        labels={['Outcome', 'Every outcome']}
        options={searched.map((value) => ({ value, label: outcomeLabels[value] }))}
      />
      <Choice
        name="reason"
        labels={['Reason', 'Every reason']}
        options={ofOutcome.flatMap(({ reason: value, devices }) =>
          value === null ? [] : [{ value, label: `${reasonWords(value)} (${formatNumber(devices)})` }],
        )}
      />
      {(groups.length > 0 || query.has('variant')) && (
        <Choice name="variant" labels={['Variant', 'Every variant']} options={variants} />
      )}
      <Choice name="platform" labels={['Platform', 'Both']} options={platforms} />
      <SubmittedField label="App version" value={query.get('app_version') ?? ''} onSubmit={set('app_version')} />
      {filterNames.some((name) => query.has(name)) && (
        <button type="button" class="quiet" onClick={() => go(addressOf(place.value.path, { tab: 'outcomes' }))}>
          Clear
        </button>
      )}
    </div>
  );
}

/** 'held_out' → 'Held out'; a code of Apple or Google stays as it is. */
function reasonWords(reason: string): string {
  if (!/^[a-z]+[_ ]/.test(reason)) return reason;
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1).replaceAll('_', ' ')}`;
}

function set(name: (typeof filterNames)[number]): (value: string) => void {
  return (value) => setQuery({ [name]: value, cursor: undefined });
}

interface ChoiceProps {
  name: (typeof filterNames)[number];
  /** Of the field, and of no choice. */
  labels: readonly [string, string];
  options: readonly { value: string; label: string }[];
}

/** One of the values that are known, and the one of the address. */
function Choice({ name, labels: [label, all], options }: ChoiceProps) {
  const value = place.value.query.get(name) ?? '';
  const known = [{ value: '', label: all }, ...options];
  const isKnown = known.some((option) => option.value === value);
  return (
    <Select
      label={label}
      value={value}
      options={isKnown ? known : [...known, { value, label: value }]}
      onChange={set(name)}
    />
  );
}

/** Outcomes had an address of their own: leads from it to the tab of the notification, or to the list. */
export function LeadToOutcomes(): null {
  useEffect(() => {
    const { notification = '', ...filters } = Object.fromEntries(place.peek().query);
    go(notification === '' ? appAddress('notifications') : outcomesAddress(notification, filters), 'replace');
  }, []);
  return null;
}
