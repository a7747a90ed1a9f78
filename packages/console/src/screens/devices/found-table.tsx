/** The devices that a text has found. */
import type { ApiCall } from '../../frame/api.ts';
import { appAddress } from '../../frame/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { type Column, Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { nameOf, versionOf } from './words.ts';
import type { FoundDevice } from '../../replies.ts';

export function lookUpCall(query: string): ApiCall {
  return { method: 'POST', path: '/v6/devices/lookup', body: { query } };
}

/** @param why a notification that the page of the device then explains */
export function deviceAddress({ device }: FoundDevice, why?: string): string {
  return appAddress(`devices/${device.id}`, { why });
}

/** @param props.columns `of one user`: without the user, and without what has found the device */
export function FoundTable(props: {
  devices: readonly FoundDevice[];
  why?: string | undefined;
  columns?: 'all' | 'of one user';
}) {
  const { devices, why, columns = 'all' } = props;
  return (
    <div class="table-frame">
      <Table
        label={columns === 'all' ? 'Devices that were found' : 'Devices of the user'}
        columns={columns === 'all' ? [device, foundBy, ...facts] : [device, ...facts]}
        rows={devices}
        keyOf={(one: FoundDevice) => one.device.id}
        hrefOf={(one: FoundDevice) => deviceAddress(one, why)}
      />
    </div>
  );
}

export function WayBack() {
  return (
    <nav aria-label="Way back">
      <a href={appAddress('devices')}>Devices</a>
    </nav>
  );
}

const matchLabels: Readonly<Record<FoundDevice['match'], string>> = {
  id: 'Found by its id',
  push_token: 'Found by its push token',
  retired_push_token: 'Found by a push token that it has lost',
  user_id: 'Found by its user',
  user_email: 'Found by its e-mail address',
  user_id_prefix: 'Its user id begins so',
};

const device: Column<FoundDevice> = {
  title: 'Device',
  cell: ({ device: one }) => (
    <TwoLines
      name={nameOf(one)}
      text={one.app_version === null ? versionOf(one) : `${versionOf(one)}, app ${one.app_version}`}
    />
  ),
};

const foundBy: Column<FoundDevice> = {
  title: 'User',
  cell: ({ match, device: { user_id: id, user_email: email } }) => (
    <TwoLines name={id ?? email ?? 'None'} text={matchLabels[match]} />
  ),
};

const facts: readonly Column<FoundDevice>[] = [
  {
    title: 'Push token',
    cell: (one) => (one.device.push_token === null ? <Badge tone="bad">None</Badge> : <Badge tone="good">Live</Badge>),
  },
  { title: 'Last update', cell: (one) => <TimeAgo at={one.device.registered_at} /> },
];
