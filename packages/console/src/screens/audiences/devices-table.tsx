import { setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import type { Content } from '../../kit/content.ts';
import { Table } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Device } from '../../replies.ts';

/** Devices of an audience, each with a link to itself and a button that explains why it is in the audience. */
export function DevicesTable({ devices, label }: { devices: readonly Device[]; label: string }): Content {
  return (
    <div class="table-frame">
      <Table
        label={label}
        rows={devices}
        keyOf={({ id }: Device) => id}
        hrefOf={({ id }: Device) => appAddress(`devices/${id}`)}
        columns={[
          { title: 'Device', cell: ({ id }: Device) => <code>{id}</code> },
          { title: 'Platform', cell: ({ platform }: Device) => platform },
          { title: 'Model', cell: (device: Device) => text(device.marketing_name) },
          { title: 'App', cell: (device: Device) => text(device.app_version) },
          { title: 'Locale', cell: (device: Device) => text(device.locale) },
          { title: 'Token', cell: (device: Device) => (device.push_token === null ? 'none' : 'yes') },
          {
            title: 'Last registered',
            cell: (device: Device) => <TimeAgo at={device.registered_at} />,
          },
          {
            title: 'Why',
            cell: ({ id }: Device) => (
              <button
                type="button"
                class="quiet"
                aria-label={`Why is device ${id} in this audience?`}
                onClick={() => setQuery({ device: id }, 'push')}>
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
