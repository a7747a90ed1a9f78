/**
 * The last outcomes of a device. The API searches a limited number of notifications at a time; the reader may continue.
 */
import { useSignal } from '@preact/signals';
import type { ApiCall } from '../../frame/api.ts';
import { appAddress } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Badge } from '../../kit/badge.tsx';
import { CurlButton } from '../../kit/curl.tsx';
import { formatNumber, zoneName } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { outcomeLabels } from '../../kit/outcome-bar.tsx';
import { Failure } from '../../kit/states.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { outcomeTones, textOf } from './words.ts';
import type { DeviceOutcome, DeviceOutcomes } from '../../replies.ts';

export function outcomesCall(deviceId: string, cursor?: string): ApiCall {
  const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
  return { method: 'GET', path: `/v6/devices/${encodeURIComponent(deviceId)}/outcomes${query}` };
}

/** @param props.first the newest page */
export function PastOutcomes({ deviceId, first }: { deviceId: string; first: DeviceOutcomes }): Content {
  const older = useSignal<readonly DeviceOutcomes[]>([]);
  const pages = [first, ...older.value];
  const rows = pages.flatMap(({ outcomes }) => outcomes);
  const cursor = pages.at(-1)?.meta.cursor ?? null;
  const next = outcomesCall(deviceId, cursor ?? undefined);
  const { run, isBusy, error } = useAction<DeviceOutcomes>({
    call: next,
    onDone: (page) => {
      older.value = [...older.value, page];
    },
  });
  return (
    <section class="card" aria-labelledby="outcomes">
      <div class="screen-head">
        <h2 id="outcomes">Last notifications</h2>
        <CurlButton call={outcomesCall(deviceId)} />
      </div>
      {rows.length === 0 ? (
        <p>None of the notifications that were searched has an outcome for this device.</p>
      ) : (
        <Table
          label="Last notifications"
          columns={columnsFor(deviceId)}
          rows={rows}
          keyOf={({ notification_id: id }: DeviceOutcome) => id}
        />
      )}
      <div class="devices-searched">
        <Searched pages={pages} />
        {cursor !== null && (
          <button type="button" disabled={isBusy} aria-busy={isBusy} onClick={run}>
            Search older ones
          </button>
        )}
      </div>
      {error !== undefined && <Failure error={error} retry={run} />}
    </section>
  );
}

function Searched({ pages }: { pages: readonly DeviceOutcomes[] }): Content {
  const searched = pages.map(({ meta }) => meta.searched);
  const count = searched.reduce((sum, { notifications }) => sum + notifications, 0);
  const gone = searched.reduce((sum, { no_longer_kept: pruned }) => sum + pruned, 0);
  const since = searched.at(-1)?.since ?? null;
  if (since === null) return <p class="muted">The app has sent no notification yet.</p>;
  return (
    <p class="muted">
      {count === 1 ? 'One notification was searched' : `The ${formatNumber(count)} newest notifications were searched`},
      since <Time at={since} />.
      {gone > 0 && ` For ${formatNumber(gone)} of them, outcomes of single devices are no longer kept.`}
    </p>
  );
}

function columnsFor(deviceId: string): Column<DeviceOutcome>[] {
  return [
    {
      title: 'Notification',
      grows: true,
      cell: (one) => <a href={appAddress(`notifications/${one.notification_id}`)}>{textOf(one) ?? 'without text'}</a>,
    },
    {
      title: 'Outcome',
      cell: (one) => (
        <span title={one.explanation}>
          <Badge tone={outcomeTones[one.outcome]}>{outcomeLabels[one.outcome]}</Badge>
          {one.opened_at !== null && (
            <>
              {' '}
              <Badge tone="good">opened</Badge>
            </>
          )}
          {one.variant !== null && one.variant !== 'hold_out' && (
            <>
              {' '}
              <Badge>variant {one.variant}</Badge>
            </>
          )}
        </span>
      ),
    },
    {
      title: 'Reason',
      cell: (one) =>
        one.reason === null ? (
          <span class="muted">–</span>
        ) : (
          <code class="devices-reason" title={one.explanation}>
            {one.reason}
          </code>
        ),
    },
    { title: `At (${zoneName()})`, cell: (one) => <Time bare at={one.at} /> },
    {
      title: 'Why',
      cell: (one) => (
        <a
          class="devices-explain"
          href={appAddress(`devices/${deviceId}`, { why: one.notification_id })}
          aria-label={`Explain: ${textOf(one) ?? one.notification_id}`}>
          Explain
        </a>
      ),
    },
  ];
}
