import { setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';
import { Table } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { SampleDevice } from './replies.ts';

/** Devices of an audience, each with a link to itself and a button that explains why it is in the audience. */
export function DevicesTable({
  devices,
  label,
}: {
  devices: readonly SampleDevice[];
  label: string;
}): Content {
  return (
    <div class="table-frame">
      <Table
        label={label}
        rows={devices}
        keyOf={({ id }: SampleDevice) => id}
        hrefOf={({ id }: SampleDevice) => appAddress(`devices/${id}`)}
        columns={[
          { title: 'Device', cell: ({ id }: SampleDevice) => <code>{id}</code> },
          { title: 'Platform', cell: ({ platform }: SampleDevice) => platform },
          { title: 'Model', cell: (device: SampleDevice) => text(device.marketing_name) },
          { title: 'App', cell: (device: SampleDevice) => text(device.app_version) },
          { title: 'Locale', cell: (device: SampleDevice) => text(device.locale) },
          { title: 'Token', cell: (device: SampleDevice) => (device.push_token === null ? 'none' : 'yes') },
          {
            title: 'Last registered',
            cell: (device: SampleDevice) => <TimeAgo at={device.registered_at} />,
          },
          {
            title: 'Why',
            cell: ({ id }: SampleDevice) => (
              <button
                type="button"
                class="quiet"
                aria-label={`Why is device ${id} in this audience?`}
                onClick={() => setQuery({ device: id }, 'push')}
              >
                Why?
              </button>
            ),
          },
        ]}
      />
    </div>
  );
}

function text(value: string | null): Content {
  return <bdi>{value ?? '–'}</bdi>;
}
