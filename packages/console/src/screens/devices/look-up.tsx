/** One field for an id, a user or a push token, and the devices that it finds. */
import { useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { type ApiCall, call } from '../../frame/api.ts';
import { go, place, setQuery } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { CurlButton } from '../../kit/curl.tsx';
import { plural } from '../../kit/format.ts';
import { TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { TimeAgo, Time } from '../../kit/time.tsx';
import { kindLabels, queryKindOf, mayBeInAddress } from './query-kind.ts';
import { nameOf, versionOf } from './words.ts';
import type { FoundDevice, FoundDevices } from '../../replies.ts';

/** `?q=` is the text that was looked up, `?why=` the notification that the reader comes from. */
export function LookUp(): Content {
  const shared = place.value.query.get('q') ?? '';
  const why = place.value.query.get('why') ?? undefined;
  /** A text that must not be in the address. */
  const hidden = useSignal('');
  const written = useSignal(shared);
  const asked = hidden.value === '' ? shared : hidden.value;
  /** A reader who has just searched is led on to the only device; "back" shows the list. */
  const leads = useRef(false);

  const { state, reload } = useResource<FoundDevices | undefined>(
    async (signal) => {
      if (asked === '') return undefined;
      const found = await call<FoundDevices>(lookUpCall(asked), signal);
      const [only, ...others] = found.devices.filter(({ match }) => match !== 'user_id_prefix');
      if (leads.current && only !== undefined && others.length === 0) go(deviceAddress(only, why));
      leads.current = false;
      return found;
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
        {asked !== '' && <CurlButton call={lookUpCall(asked)} />}
      </div>
      {why !== undefined && (
        <p class="devices-note">
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
          <Nothing />
        ) : isLoading ? (
          <Loading what="Looking up" />
        ) : (
          data !== undefined && <Results found={data} why={why} />
        )}
      </div>
    </div>
  );
}

function lookUpCall(query: string): ApiCall {
  return { method: 'POST', path: '/v6/devices/lookup', body: { query } };
}

function deviceAddress({ device }: FoundDevice, why: string | undefined): string {
  return appAddress(`devices/${device.id}`, { why });
}

function Nothing(): Content {
  return (
    <Empty title="Find one device">
      <p>
        A user id finds all devices of the user, also by its beginning. A push token finds the device that has it, and
        the one that has lost it.
      </p>
    </Empty>
  );
}

function Results({ found, why }: { found: FoundDevices; why: string | undefined }): Content {
  const { devices, more, erased_at: erasedAt } = found;
  if (devices.length === 0) {
    return erasedAt === null ? (
      <Empty title="No device is found">
        <p>
          No device of this app has this id, user, e-mail address or push token. Upper and lower case matter in user
          ids.
        </p>
      </Empty>
    ) : (
      <Empty title="This device was erased">
        <p>
          Its data was deleted at <Time at={erasedAt} />; only its id is kept.
        </p>
      </Empty>
    );
  }
  return (
    <div class="stack">
      <h2>{more ? `The first ${devices.length} devices` : plural(devices.length, 'device')}</h2>
      {more && (
        <p class="devices-note">
          There are more. Write more of the user id, or use an audience to list all devices of a user.
        </p>
      )}
      <div class="table-frame">
        <Table
          label="Devices that were found"
          columns={columns}
          rows={devices}
          keyOf={({ device }: FoundDevice) => device.id}
          hrefOf={(one: FoundDevice) => deviceAddress(one, why)}
        />
      </div>
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

const columns: readonly Column<FoundDevice>[] = [
  {
    title: 'Device',
    cell: ({ device }) => (
      <>
        <bdi>{nameOf(device)}</bdi> <code class="muted">{device.id.slice(0, 8)}</code>
      </>
    ),
  },
  { title: 'User', cell: ({ device }) => <bdi>{device.user_id ?? device.user_email ?? '–'}</bdi> },
  { title: 'Found by', cell: ({ match }) => matchLabels[match] },
  { title: 'System', cell: ({ device }) => versionOf(device) },
  { title: 'App', cell: ({ device }) => <bdi>{device.app_version ?? '–'}</bdi> },
  {
    title: 'Push token',
    cell: ({ device }) =>
      device.push_token === null ? <Badge tone="bad">none</Badge> : <Badge tone="good">live</Badge>,
  },
  { title: 'Last update', cell: ({ device }) => <TimeAgo at={device.registered_at} /> },
];
