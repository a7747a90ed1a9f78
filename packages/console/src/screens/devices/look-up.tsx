/** One field for an id, a user or a push token, and the devices that it finds. */
import { useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { type ApiCall, call } from '../../frame/api.ts';
import { go, place, setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { plural } from '../../kit/format.ts';
import { TextField } from '../../kit/form.tsx';
import { Empty, Failure, Loading, useResource } from '../../kit/states.tsx';
import { type Column, Table, TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { kindLabels, queryKindOf, mayBeInAddress } from './query-kind.ts';
import { readUserPushes, UserPushes } from './pushes/timeline.tsx';
import { nameOf, userAddress, versionOf } from './words.ts';
import type { FoundDevice, FoundDevices, UserPushes as PushPage } from '../../replies.ts';

interface Found extends FoundDevices {
  /** Of a user without devices, and of an e-mail address; undefined if nothing names the text. */
  pushes: PushPage | undefined;
}

/** `?q=` is the text that was looked up, `?why=` the notification that the reader comes from. */
export function LookUp() {
  const shared = place.value.query.get('q') ?? '';
  const why = place.value.query.get('why') ?? undefined;
  /** A text that must not be in the address. */
  const hidden = useSignal('');
  const written = useSignal(shared);
  const asked = hidden.value === '' ? shared : hidden.value;
  /** A reader who has just searched is led on to the only device; "back" shows the list. */
  const leads = useRef(false);

  const { state, reload } = useResource<Found | undefined>(
    async (signal) => {
      if (asked === '') return undefined;
      const found = await call<FoundDevices>(lookUpCall(asked), signal);
      const [only, ...others] = found.devices.filter(({ match }) => match !== 'user_id_prefix');
      if (leads.current && only !== undefined && others.length === 0) go(deviceAddress(only, why));
      leads.current = false;
      return { ...found, pushes: await pushesTo(asked, found, signal) };
    },
    [asked],
  );

  const submit = (event: Event): void => {
    event.preventDefault();
    const text = written.value.trim();
    written.value = text;
    leads.current = true;
    if (text === asked) reload();
    const isShared = mayBeInAddress(text);
    hidden.value = isShared ? '' : text;
    setQuery({ q: isShared ? text : undefined }, 'push');
  };

  const { data, error, isLoading } = state.value;
  const text = written.value.trim();
  return (
    <div class="stack">
      <div class="screen-head">
        <h1>Devices</h1>
        {asked !== '' && <Curl call={lookUpCall(asked)} />}
      </div>
      {why !== undefined && (
        <p class="note">
          Which device did not get notification <code>{why.slice(0, 8)}</code>? Look it up by its user.
        </p>
      )}
      <form role="search" class="devices-search" onSubmit={submit}>
        <TextField
          label="Device id, user id, e-mail address or push token"
          hint={text === '' ? 'Paste what you have; its kind is recognised.' : kindLabels[queryKindOf(text)]}
          type="search"
          code
          autofocus
          value={written.value}
          onInput={(value) => (written.value = value)}
        />
        <button class="primary" disabled={text === ''}>
          Look up
        </button>
      </form>
      <div aria-live="polite" aria-busy={isLoading}>
        {error !== undefined ? (
          <Failure error={error} retry={reload} />
        ) : asked === '' ? (
          <Empty title="Find one device">
            <p>
              A user id finds all devices of the user, also by its beginning. A push token finds the device that has it,
              and the one that has lost it.
            </p>
          </Empty>
        ) : isLoading ? (
          <Loading what="Looking up" />
        ) : (
          data !== undefined && <Results asked={asked} found={data} why={why} />
        )}
      </div>
    </div>
  );
}

/** A user with devices has a page for it, which an e-mail address has not. */
async function pushesTo(text: string, found: FoundDevices, signal: AbortSignal): Promise<PushPage | undefined> {
  const kind = queryKindOf(text);
  const isFound = found.devices.some(({ match }) => match !== 'user_id_prefix') || found.erased_at !== null;
  if (kind === 'token' || (isFound && kind !== 'email')) return undefined;
  const page = await readUserPushes(text, signal);
  return page?.pushes.length === 0 && page.meta.cursor === null ? undefined : page;
}

function Results({ asked, found, why }: { asked: string; found: Found; why: string | undefined }) {
  const { devices, more, erased_at: erasedAt, pushes } = found;
  const user = devices.find(({ match }) => match === 'user_id')?.device.user_id ?? undefined;
  const address = user === undefined ? undefined : userAddress(user);
  return (
    <div class="stack">
      {devices.length === 0 ? (
        <NoDevice erasedAt={erasedAt} isNamed={pushes !== undefined} />
      ) : (
        <h2>{more ? `The first ${devices.length} devices` : plural(devices.length, 'device')}</h2>
      )}
      {more && (
        <p class="note">There are more. Write more of the user id, or use an audience to list all devices of a user.</p>
      )}
      {devices.length > 0 && <FoundTable devices={devices} why={why} />}
      {address !== undefined && (
        <p>
          <a href={address}>
            All pushes to <bdi>{user}</bdi>
          </a>
        </p>
      )}
      {pushes !== undefined && <UserPushes key={asked} user={asked} first={pushes} devices={devices} />}
    </div>
  );
}

function NoDevice({ erasedAt, isNamed }: { erasedAt: string | null; isNamed: boolean }) {
  if (isNamed && erasedAt === null) {
    return (
      <>
        <h2>No device is found</h2>
        <p>No device of this app has this user now. These pushes were addressed to it:</p>
      </>
    );
  }
  return (
    <Empty title={erasedAt === null ? 'No device is found' : 'This device was erased'}>
      <p>
        {erasedAt === null
          ? 'No device of this app has this id, user, e-mail address or push token, and no notification names it as a user. Upper and lower case matter in user ids.'
          : ['Its data was deleted ', <TimeAgo at={erasedAt} />, '; only its id is kept.']}
      </p>
    </Empty>
  );
}

export function lookUpCall(query: string): ApiCall {
  return { method: 'POST', path: '/v6/devices/lookup', body: { query } };
}

/** @param why a notification that the page of the device then explains */
function deviceAddress({ device }: FoundDevice, why?: string): string {
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
