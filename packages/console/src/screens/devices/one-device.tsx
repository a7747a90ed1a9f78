/** One device: its attributes, its pushes, and the actions on it. */
import { useSignal } from '@preact/signals';
import { ApiFailure, call } from '../../frame/api.ts';
import { go, place, setQuery } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { ActionButton, LinkButton } from '../../kit/action.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Id } from '../../kit/copy.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { TextField } from '../../kit/form.tsx';
import { Empty, useResource, Waiting } from '../../kit/states.tsx';
import { WayBack } from './look-up.tsx';
import { DevicePushes } from './pushes/timeline.tsx';
import { CustomAttributes, Events, Facts, Location, OtherTokens, Verdict } from './facts.tsx';
import { AskWhy, Why } from './pushes/why.tsx';
import { nameOf, userAddress, versionOf } from './words.ts';
import type {
  CreatedNotification,
  Device,
  DevicePushes as Pushes,
  DeviceTokens,
  PushTokenState,
} from '../../replies.ts';

const TEST_SECONDS = 600;

export function OneDevice({ params }: { params: { device_id: string } }) {
  const id = params.device_id.toLowerCase();
  const why = place.value.query.get('why') ?? undefined;
  const path = `/v6/devices/${encodeURIComponent(id)}`;
  /** Rises with every change, so that the parts are read again. */
  const round = useSignal(0);
  /** The test push that was sent from here. */
  const sent = useSignal<string | undefined>(undefined);
  const { state, reload } = useResource(
    async (signal) => {
      const read = async <Reply,>(below: string) => call<Reply>({ method: 'GET', path: path + below }, signal);
      const [{ device }, token, named, pushes] = await Promise.all([
        read<{ device: Device }>(''),
        read<PushTokenState>('/push-token'),
        read<DeviceTokens>('/tokens'),
        read<Pushes>('/pushes'),
      ]);
      return { device, token, named, pushes };
    },
    [id, round.value],
  );
  const { data, error } = state.value;
  const change = (): void => {
    round.value += 1;
  };
  const explained = why !== undefined && (
    <Why key={why} notificationId={why} deviceId={id} isNew={why === sent.value} onOutcome={change} />
  );
  if (data === undefined || error !== undefined) {
    return (
      <div class="stack">
        <WayBack />
        <h1>Device</h1>
        {error !== undefined && explained}
        {error instanceof ApiFailure && error.code === 'not_found' ? (
          <Empty title="There is no such device">
            <p>It was erased, or the app never had a device with this id.</p>
            <LinkButton label="Look it up" href={appAddress('devices', { q: id })} />
          </Empty>
        ) : (
          <Waiting of={state.value} retry={reload} what="Loading the device" />
        )}
      </div>
    );
  }
  const { device, token, named, pushes } = data;
  return (
    <div class="stack">
      <WayBack />
      <div class="screen-head">
        <div>
          <h1>
            <bdi>{nameOf(device)}</bdi>
          </h1>
          <p class="in-line muted">
            <bdi>{versionOf(device)}</bdi>
            {device.user_id !== null && <UserLink id={device.user_id} />}
            {device.development && <Badge tone="busy">Development</Badge>}
            <a href={appAddress('audiences', { device: device.id })}>Is it in an audience?</a>
            {may('admin') && <a href={appAddress('audit', { object: device.id })}>Changes by people</a>}
          </p>
        </div>
        <div class="buttons">
          {may('sender') && <TestPush device={device} onSent={(notificationId) => (sent.value = notificationId)} />}
          {may('admin') && <Flag device={device} onChanged={change} />}
          {may('admin') && <Erase device={device} />}
        </div>
      </div>
      <Verdict device={device} token={token} />
      <Curl call={{ method: 'GET', path }} />
      <ForDevelopers title="Id of the device">
        <Id value={device.id} />
      </ForDevelopers>
      {explained}
      <DevicePushes key={`${id} ${round.value}`} deviceId={id} first={pushes} />
      <AskWhy />
      <Facts device={device} token={token} />
      <div class="devices-columns">
        <CustomAttributes custom={device.custom} />
        <Events events={device.events} />
        <OtherTokens lost={token.retired} named={named.tokens} />
        <Location device={device} />
      </div>
    </div>
  );
}

function UserLink({ id }: { id: string }) {
  const address = userAddress(id);
  const name = <bdi>{id}</bdi>;
  return <span>User {address === undefined ? name : <a href={address}>{name}</a>}</span>;
}

function TestPush({ device, onSent }: { device: Device; onSent: (notificationId: string) => void }) {
  const text = useSignal('This is a test.');
  const body = {
    notification: { to: { device_id: device.id }, payload: { alert: text.value }, time_to_live: TEST_SECONDS },
  };
  return (
    <ActionButton
      label="Send a test push"
      kind="primary"
      call={{ method: 'POST', path: '/v6/notifications', body }}
      confirm={{
        title: 'Send a test push',
        label: 'Send',
        isComplete: text.value.trim() !== '',
        text: (
          <div class="stack">
            <p>
              To <bdi>{nameOf(device)}</bdi> alone. The push is given up after ten minutes.
            </p>
            {device.push_token === null && (
              <p class="note warn">The device has no push token, so the push cannot reach it.</p>
            )}
            <TextField label="Text" value={text.value} required onInput={(value) => (text.value = value)} />
          </div>
        ),
      }}
      done="The test push is on its way."
      onDone={({ id }: CreatedNotification) => {
        onSent(id);
        setQuery({ why: id }, 'push'); // shows the outcome as soon as there is one
      }}
    />
  );
}

function Flag({ device, onChanged }: { device: Device; onChanged: () => void }) {
  const { id, development, platform } = device;
  const where = platform === 'Android' ? '' : ` Pushes go through Apple’s ${development ? 'production' : 'sandbox'}.`;
  return (
    <ActionButton
      label={development ? 'Remove the development flag' : 'Flag as development'}
      call={{ method: 'PUT', path: `/v6/devices/${id}`, body: { device: { development: !development } } }}
      done={`The device is ${development ? 'no longer a development device' : 'flagged as development'}.${where}`}
      onDone={onChanged}
    />
  );
}

function Erase({ device }: { device: Device }) {
  const { id } = device;
  return (
    <ActionButton
      label="Erase"
      kind="danger"
      call={{ method: 'DELETE', path: `/v6/devices/${id}` }}
      confirm={{
        title: 'Erase this device?',
        text: (
          <p>
            All data of <bdi>{nameOf(device)}</bdi> is deleted: attributes, events and push token. This cannot be
            undone. Its id stays erased; when the app is opened again, it registers as a new device.
          </p>
        ),
        typed: id.slice(0, 8),
      }}
      done="The device is erased."
      onDone={() => go(appAddress('devices', { q: id }))}
    />
  );
}
