import { useState } from 'preact/hooks';
import type { FilterJson } from '../../filter-builder/language.ts';
import { setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Empty, Failure } from '../../kit/states.tsx';
import { Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Device } from '../../replies.ts';
import { nameOf } from '../devices/words.ts';
import { bodyOf } from './live-count.ts';

/** Some of the devices, read only when the reader asks: if few of many devices match, it takes as long as a count. */
export function Sample({ filters }: { filters: readonly FilterJson[] }) {
  const [devices, setDevices] = useState<readonly Device[] | undefined>(undefined);
  const sample = { method: 'POST', path: '/v6/audiences/sample', body: bodyOf(filters) } as const;
  const { run, isBusy, error } = useAction<{ devices: readonly Device[] }>({
    call: sample,
    onDone: (reply) => setDevices(reply.devices),
  });
  return (
    <section class="card stack" aria-labelledby="audience-sample">
      <div class="screen-head">
        <h2 id="audience-sample">Some of its devices</h2>
        <Curl call={sample} />
        {devices === undefined && (
          <button type="button" onClick={run} disabled={isBusy} aria-busy={isBusy}>
            Show 10 devices
          </button>
        )}
      </div>
      {error !== undefined && <Failure error={error} retry={run} />}
      {devices?.length === 0 && <Empty title="No device matches" icon="device" />}
      {devices !== undefined && devices.length > 0 && (
        <div class="table-frame">
          <Table
            label="Some of its devices"
            rows={devices}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => appAddress(`devices/${id}`)}
            columns={[
              {
                title: 'Device',
                cell: (one) => <TwoLines name={nameOf(one)} text={one.user_id ?? one.id.slice(0, 8)} />,
              },
              { title: 'Platform', cell: ({ platform }) => platform },
              { title: 'App', cell: ({ app_version: version }) => <bdi>{version ?? '–'}</bdi> },
              { title: 'Locale', cell: ({ locale }) => <bdi>{locale ?? '–'}</bdi> },
              { title: 'Token', cell: ({ push_token: token }) => (token === null ? 'none' : 'yes') },
              { title: 'Last registered', cell: ({ registered_at: at }) => <TimeAgo at={at} /> },
              { title: 'Why', cell: ({ id }) => <WhyButton id={id} /> },
            ]}
          />
        </div>
      )}
    </section>
  );
}

function WhyButton({ id }: { id: string }) {
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Why is device ${id} in this audience?`}
      onClick={() => setQuery({ device: id }, 'push')}>
      Why?
    </button>
  );
}
