/** The stored audiences, with the number of their devices. */
import { addressOf, place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { LinkButton } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { formatNumber } from '../../kit/format.ts';
import { Icon } from '../../kit/icon.tsx';
import { Empty, useReply } from '../../kit/states.tsx';
import { List, Pages, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import type { AudienceList as Listed } from '../../replies.ts';
import { isNamed, nameOf, wordsOf } from './audience.tsx';
import { countCall, type StoredCount, useStoredCounts } from './counts.ts';

const KINDS = [
  { view: 'named', label: 'Named' },
  { view: 'on_the_fly', label: 'Of notifications' },
] as const;
const PER_PAGE = 50;
const AGE_SHOWN_MS = 60_000;

export function AudienceList() {
  const { query } = place.value;
  const kind = KINDS.find(({ view }) => view === query.get('kind'))?.view ?? 'named';
  const [cursor, device] = ['cursor', 'device'].map((name) => query.get(name) ?? undefined);
  const path = addressOf('/v6/audiences', { per: PER_PAGE, kind, cursor });
  const read = useReply<Listed>({ method: 'GET', path });
  const { audiences = [], meta } = read.data ?? {};
  const countOf = useStoredCounts(audiences);
  const counted = audiences.find(({ filters }) => filters !== null);
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>Audiences</h1>
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
        views={KINDS}
        shown={kind}
        onChoose={(chosen) => setQuery({ kind: chosen === 'named' ? undefined : chosen, cursor: undefined }, 'push')}
      />
      <List
        label="Audiences"
        of={read}
        rows={audiences}
        hrefOf={({ id }) => appAddress(`audiences/${id}`, { device })}
        columns={[
          {
            title: 'Audience',
            grows: true,
            cell: (one) => <TwoLines name={nameOf(one)} text={isNamed(one) ? wordsOf(one) : ''} />,
          },
          { title: 'Devices', align: 'end', cell: (one) => <CountCell count={countOf(one)} /> },
          { title: 'Last used', align: 'end', cell: ({ last_used_at: at }) => <TimeAgo at={at} /> },
        ]}>
        <Nothing kind={kind} />
      </List>
      <Pages next={meta?.cursor ?? null} />
    </div>
  );
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
      {may('sender') && <LinkButton label="Build the first one" href={appAddress('audiences/new')} kind="primary" />}
    </Empty>
  ) : (
    <Empty title="No notification was sent to filters yet" icon="audience" />
  );
}
