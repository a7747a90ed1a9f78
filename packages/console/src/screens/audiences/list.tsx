/** The stored audiences. Counting them costs the database something, so it happens only when the reader asks. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { place, setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { filtersWords } from '../../filter-builder/words.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { formatNumber } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { Icon } from '../../kit/icon.tsx';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { Pages, Table } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import { DeleteAudience } from './delete-audience.tsx';
import type { Audience, ListedAudience } from '../../replies.ts';

const KINDS = [
  { kind: 'named', label: 'Named' },
  { kind: 'on_the_fly', label: 'Made by notifications' },
] as const;
const PER_PAGE = 50;

export function AudienceList(): Content {
  const { query } = place.value;
  const kind = KINDS.find((one) => one.kind === query.get('kind'))?.kind ?? 'named';
  const cursor = query.get('cursor');
  const device = query.get('device') ?? undefined;
  const read: ApiCall = {
    method: 'GET',
    path: `/v6/audiences?per=${PER_PAGE}&kind=${kind}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
  };
  const { state, reload } = useResource(
    (signal) => call<{ audiences: readonly ListedAudience[]; meta: { cursor: string | null } }>(read, signal),
    [read.path],
  );
  const { data, error } = state.value;
  const counts = useCounts();
  return (
    <div class="stack">
      <header class="screen-head">
        <h1>Audiences</h1>
        <div class="buttons">
          <Curl call={read} />
          <a class="button primary" href={appAddress('audiences/new', { device })}>
            <Icon name="plus" />
            New audience
          </a>
        </div>
      </header>
      {device !== undefined && (
        <p>
          Choose an audience to see whether the device <code>{device}</code> is in it.
        </p>
      )}
      <div class="screen-head">
        <ViewSwitch
          label="Kind"
          views={KINDS.map((one) => ({ view: one.kind, label: one.label }))}
          shown={kind}
          onChoose={(chosen) => setQuery({ kind: chosen === 'named' ? undefined : chosen, cursor: undefined }, 'push')}
        />
        {data !== undefined && data.audiences.length > 0 && (
          <button type="button" onClick={() => counts.countAll(data.audiences.map(({ id }) => id))}>
            Count these
          </button>
        )}
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined &&
        (data.audiences.length === 0 ? (
          <Nothing kind={kind} />
        ) : (
          <div class="table-frame">
            <Table
              label="Audiences"
              rows={data.audiences}
              keyOf={({ id }: ListedAudience) => id}
              hrefOf={({ id }: ListedAudience) => appAddress(`audiences/${id}`, { device })}
              columns={[
                { title: 'Name', cell: ({ name }: ListedAudience) => <bdi>{name}</bdi> },
                { title: 'Filters', grows: true, cell: ({ filters }: ListedAudience) => words(filters) },
                {
                  title: 'Devices',
                  align: 'end',
                  cell: ({ id, name }: ListedAudience) => <CountCell id={id} name={name} counts={counts} />,
                },
                {
                  title: 'Last used',
                  cell: (audience: ListedAudience) => <TimeAgo at={audience.last_used_at} />,
                },
                {
                  title: 'Actions',
                  align: 'end',
                  cell: ({ id, name }: ListedAudience) => (
                    <DeleteAudience id={id} name={name} isQuiet onDone={reload} />
                  ),
                },
              ]}
            />
          </div>
        ))}
      <Pages next={data?.meta.cursor ?? null} />
    </div>
  );
}

function words(filters: ListedAudience['filters']): Content {
  if (filters === null) return <span class="muted">Many criteria</span>;
  const text = filtersWords(filters);
  return <bdi title={text}>{text}</bdi>;
}

function Nothing({ kind }: { kind: string }): Content {
  return kind === 'named' ? (
    <Empty title="No audience has a name yet">
      <p>A named audience is a list of filters that notifications can be sent to again and again.</p>
      <a class="button primary" href={appAddress('audiences/new')}>
        Build the first one
      </a>
    </Empty>
  ) : (
    <Empty title="No notification was sent to filters yet" />
  );
}

type Count = { state: 'busy' } | { state: 'counted'; devices: number } | { state: 'failed'; error: unknown };

interface Counts {
  of: (id: string) => Count | undefined;
  /** Counts one after another, so that a page of audiences takes only one of the server's few slots for counts. */
  countAll: (ids: readonly string[]) => Promise<void>;
}

function useCounts(): Counts {
  const [counts, setCounts] = useState<ReadonlyMap<string, Count>>(new Map());
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const set = (id: string, count: Count): void => setCounts((before) => new Map(before).set(id, count));
  const countOne = async (id: string, signal: AbortSignal): Promise<void> => {
    set(id, { state: 'busy' });
    try {
      const read = { method: 'GET', path: `/v6/audiences/${id}` } as const;
      const { audience } = await call<{ audience: Audience }>(read, signal);
      set(id, { state: 'counted', devices: audience.device_count });
    } catch (error) {
      if (!signal.aborted) set(id, { state: 'failed', error });
    }
  };
  return {
    of: (id) => counts.get(id),
    async countAll(ids) {
      const { signal } = leaving.current;
      for (const id of ids) {
        if (!signal.aborted) await countOne(id, signal);
      }
    },
  };
}

function CountCell({ id, name, counts }: { id: string; name: string; counts: Counts }): Content {
  const count = counts.of(id);
  if (count?.state === 'busy') return <span class="muted">…</span>;
  if (count?.state === 'counted') return formatNumber(count.devices);
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Count ${name}`}
      title={count?.error instanceof Error ? count.error.message : undefined}
      onClick={() => counts.countAll([id])}>
      {count?.state === 'failed' ? 'Try again' : 'Count'}
    </button>
  );
}
