/** The devices that a text has found. */
import type { ApiCall } from '../../frame/api.ts';
import { appAddress } from '../../frame/session.ts';
import { Badge } from '../../kit/badge.tsx';
import type { Content } from '../../kit/content.ts';
import { type Column, Table } from '../../kit/table.tsx';
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
}): Content {
  const { devices, why, columns = 'all' } = props;
  return (
    <div class="table-frame">
      <Table
        label={columns === 'all' ? 'Devices that were found' : 'Devices of the user'}
        columns={columns === 'all' ? [device, ...foundBy, ...facts] : [device, ...facts]}
        rows={devices}
        keyOf={(one: FoundDevice) => one.device.id}
        hrefOf={(one: FoundDevice) => deviceAddress(one, why)}
      />
    </div>
  );
}

const matchLabels: Readonly<Record<FoundDevice['match'], string>> = {
  id: 'its id',
  push_token: 'its push token',
  retired_push_token: 'a push token that it has lost',
  user_id: 'its user',
  user_email: 'its e-mail address',
  user_id_prefix: 'the beginning of its user id',
};

const device: Column<FoundDevice> = {
  title: 'Device',
  cell: ({ device: { id, ...one } }) => (
    <>
      <bdi>{nameOf(one)}</bdi> <code class="muted">{id.slice(0, 8)}</code>
    </>
  ),
};

const foundBy: readonly Column<FoundDevice>[] = [
  { title: 'User', cell: ({ device: { user_id: id, user_email: email } }) => <bdi>{id ?? email ?? '–'}</bdi> },
  { title: 'Found by', cell: ({ match }) => matchLabels[match] },
];

const facts: readonly Column<FoundDevice>[] = [
  { title: 'System', cell: (one) => versionOf(one.device) },
  { title: 'App', cell: (one) => <bdi>{one.device.app_version ?? '–'}</bdi> },
  {
    title: 'Push token',
    cell: (one) => (one.device.push_token === null ? <Badge tone="bad">none</Badge> : <Badge tone="good">live</Badge>),
  },
  { title: 'Last update', cell: (one) => <TimeAgo at={one.device.registered_at} /> },
];
