/** The stored audiences, with the number of their devices. */
import { type ApiCall, call } from '../../frame/api.ts';
import { place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { filtersWords } from '../../filter-builder/words.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { formatNumber } from '../../kit/format.ts';
import { Icon } from '../../kit/icon.tsx';
import { Empty, useResource, Waiting } from '../../kit/states.tsx';
import { Pages, Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import { isNamed, nameOf } from './kind.ts';
import { countCall, type StoredCount, useStoredCounts } from './stored-counts.ts';
import type { AudienceList as Listed, ListedAudience } from '../../replies.ts';

const KINDS = [
  { kind: 'named', label: 'Named' },
  { kind: 'on_the_fly', label: 'Of notifications' },
] as const;
const PER_PAGE = 50;
const AGE_SHOWN_MS = 60_000;

export function AudienceList() {
  const { query } = place.value;
  const kind = KINDS.find((one) => one.kind === query.get('kind'))?.kind ?? 'named';
  const cursor = query.get('cursor');
  const device = query.get('device') ?? undefined;
  const read: ApiCall = {
    method: 'GET',
    path: `/v6/audiences?per=${PER_PAGE}&kind=${kind}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
  };
  const { state, reload } = useResource((signal) => call<Listed>(read, signal), [read.path]);
  const { data } = state.value;
  const countOf = useStoredCounts(data?.audiences ?? []);
  const counted = data?.audiences.find(({ filters }) => filters !== null);
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>Audiences</h1>
        <Curl call={read} />
        {counted !== undefined && <Curl call={countCall(counted)} />}
        <a class="button primary" href={appAddress('audiences/new', { device })}>
          <Icon name="plus" />
          New audience
        </a>
      </header>
      {device !== undefined && (
        <p>
          Choose an audience to see whether the device <code>{device}</code> is in it.
        </p>
      )}
      <ViewSwitch
        label="Kind"
        views={KINDS.map((one) => ({ view: one.kind, label: one.label }))}
        shown={kind}
        onChoose={(chosen) => setQuery({ kind: chosen === 'named' ? undefined : chosen, cursor: undefined }, 'push')}
      />
      <Waiting of={state.value} retry={reload} />
      {data !== undefined &&
        (data.audiences.length === 0 ? (
          <Nothing kind={kind} />
        ) : (
          <div class="table-frame">
            <Table
              label="Audiences"
              rows={data.audiences}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => appAddress(`audiences/${id}`, { device })}
              columns={[
                { title: 'Audience', grows: true, cell: (audience) => <Row audience={audience} /> },
                { title: 'Devices', align: 'end', cell: (audience) => <CountCell count={countOf(audience)} /> },
                { title: 'Last used', align: 'end', cell: ({ last_used_at: at }) => <TimeAgo at={at} /> },
              ]}
            />
          </div>
        ))}
      <Pages next={data?.meta.cursor ?? null} />
    </div>
  );
}

function Row({ audience }: { audience: ListedAudience }) {
  const { filters } = audience;
  const words = filters === null ? 'Many criteria' : filtersWords(filters);
  return <TwoLines name={nameOf(audience)} text={isNamed(audience) ? words : ''} />;
}

function CountCell({ count }: { count: StoredCount | undefined }) {
  if (count === undefined) return <span class="muted">…</span>;
  if (count.failure !== undefined) return <span title={count.failure}>–</span>;
  return (
    <span class="two-lines">
      <span>{formatNumber(count.devices)}</span>
      {Date.now() - count.atMs > AGE_SHOWN_MS && (
        <span class="muted">
          <TimeAgo at={count.atMs} />
        </span>
      )}
    </span>
  );
}

function Nothing({ kind }: { kind: string }) {
  return kind === 'named' ? (
    <Empty title="No audience has a name yet" icon="audience">
      <p>A named audience is a list of filters that notifications can be sent to again and again.</p>
      {may('sender') && (
        <a class="button primary" href={appAddress('audiences/new')}>
          Build the first one
        </a>
      )}
    </Empty>
  ) : (
    <Empty title="No notification was sent to filters yet" icon="audience" />
  );
}
