/** From a new app to a push on the reader's own phone, step by step. Where one is follows from what the server has. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { routesOfApp } from '../../frame/routes-of-app.ts';
import { app, appAddress, may } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import type { Content } from '../../kit/content.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { Icon } from '../../kit/icon.tsx';
import { type Resource, useResource, useWhileVisible, Waiting } from '../../kit/states.tsx';
import { TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import { PushResult } from '../devices/pushes/timeline.tsx';
import { nameOf, pushStates, versionOf } from '../devices/words.ts';
import { CredentialForm } from '../settings/credentials/credential-form.tsx';
import type { ApiKey, Device, DevicePush } from '../../replies.ts';
import { AppLines } from './app-lines.tsx';

const READ_EVERY_MS = 2_000;
/** States of a push that have no outcome yet. */
const UNDECIDED: ReadonlySet<string> = new Set(['waiting', 'sending']);
const LATELY_MS = 15 * 60_000;
const LONG_AGO = '2000-01-01T00:00:00Z';

/** How far an app is on the way to its first push. */
interface Progress {
  hasApple: boolean;
  hasGoogle: boolean;
  /** Whether there is a key that only registers; false also for readers who may not see keys. */
  hasKey: boolean;
  /** The device that has registered last, of those that did since the first such key was made. */
  device: Device | undefined;
  /** The newest push to it that was due. */
  push: DevicePush | undefined;
}

export function Guide() {
  const { progress, reload } = useProgress();
  return (
    <div class="stack start">
      <div class="screen-head">
        <h1>Your first push</h1>
        <a href={appAddress('overview')}>To the overview</a>
        <Curl call={devicesSince(LONG_AGO)} />
      </div>
      <p class="muted">Four steps, some five minutes. Leave whenever you like: this page finds the step again.</p>
      <Waiting of={progress} retry={reload} what="Looking how far the app is" />
      {progress.data !== undefined && <Steps {...progress.data} reload={reload} />}
    </div>
  );
}

function Steps(progress: Progress & { reload: () => void }) {
  const { hasApple, hasGoogle, hasKey, device, push, reload } = progress;
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const [isPlaced, setPlaced] = useState(false);
  const hadDevice = useRef(device !== undefined);
  useEffect(() => {
    if (device !== undefined && !hadDevice.current) announce('A phone has registered.');
    hadDevice.current = device !== undefined;
  }, [device]);
  const done = [
    hasApple || hasGoogle,
    // Until the lines are copied, the key stays in view: it is shown only now.
    device !== undefined || (hasKey && (secret === undefined || isPlaced)),
    device !== undefined,
    push !== undefined,
  ];
  const current = done.indexOf(false);
  const step = (index: number) => ({ index, isDone: done[index] === true, isCurrent: index === current });
  const stored = [hasApple && 'Apple', hasGoogle && 'Google'].filter(Boolean).join(' and ');
  return (
    <ol class="lines start-steps">
      <Step {...step(0)} title="Give it the key of Apple or Google" note={stored}>
        {may('admin') ? <CredentialForm onDone={reload} /> : <p class="muted">An admin of this app can do it.</p>}
      </Step>
      <Step {...step(1)} title="Put the lines into your app">
        {may('admin') ? (
          <Lines secret={secret} hasKey={hasKey} onSecret={setSecret} onPlaced={() => setPlaced(true)} />
        ) : (
          <AppLines secret={undefined} />
        )}
      </Step>
      <Step {...step(2)} title="Start the app on your phone" note={device && nameOf(device)}>
        <Curl call={registration} />
        {device === undefined ? (
          <p class="muted" role="status">
            Waiting for a phone to register …
          </p>
        ) : (
          <TwoLines
            name={<a href={appAddress(`devices/${device.id}`)}>{nameOf(device)}</a>}
            text={[versionOf(device), ', registered ', <TimeAgo at={device.registered_at} />]}
          />
        )}
      </Step>
      <Step {...step(3)} title="Send it a push" note={push && pushStates[push.state].label} isOpen={push !== undefined}>
        {device === undefined ? (
          <p class="muted">As soon as a phone has registered.</p>
        ) : (
          <Send device={device} push={push} reload={reload} />
        )}
      </Step>
    </ol>
  );
}

const registration: ApiCall = {
  method: 'POST',
  path: '/v6/devices',
  body: { device: { platform: 'Android', push_token: '<the token that Firebase gave your app>' } },
};

function Step(props: {
  index: number;
  isDone: boolean;
  isCurrent: boolean;
  title: string;
  /** What is there already. */
  note?: string | undefined;
  isOpen?: boolean;
  children?: Content;
}) {
  const { index, isDone, isCurrent, title, note = '', isOpen = false, children } = props;
  return (
    <li class={isCurrent ? 'current' : undefined}>
      <details open={isCurrent || isOpen}>
        <summary>
          <span class={isDone ? 'start-mark good' : 'start-mark'} aria-hidden="true">
            {isDone ? <Icon name="check" /> : index + 1}
          </span>
          <h2>{title}</h2>
          {isDone && (
            <span class="muted">
              Done{note !== '' && ': '}
              <bdi>{note}</bdi>
            </span>
          )}
        </summary>
        <div class="stack start-body">{children}</div>
      </details>
    </li>
  );
}

const newKey: ApiCall = {
  method: 'POST',
  path: '/v6/keys',
  body: { key: { name: 'Phones', scopes: ['register'] } },
};

function Lines(props: {
  secret: string | undefined;
  hasKey: boolean;
  onSecret: (secret: string) => void;
  onPlaced: () => void;
}) {
  const { secret, hasKey, onSecret, onPlaced } = props;
  return (
    <>
      <p>
        {secret !== undefined
          ? 'The lines have the key in them. It is shown only now.'
          : hasKey
            ? 'The key in your app is not shown again. Make another if you have lost it.'
            : 'Your app registers its phone with a key that can do nothing else, so it may be in the app.'}
      </p>
      {secret === undefined && (
        <ActionButton
          label={hasKey ? 'Make another key' : 'Make the key'}
          {...(!hasKey && { kind: 'primary' as const })}
          needs="admin"
          call={newKey}
          onDone={({ key }: { key: { secret: string } }) => onSecret(key.secret)}
        />
      )}
      <AppLines secret={secret} />
      {secret !== undefined && (
        <div>
          <button type="button" class="primary" onClick={onPlaced}>
            They are in my app
          </button>
        </div>
      )}
    </>
  );
}

const TEST_SECONDS = 600;

function Send({ device, push, reload }: { device: Device; push: Progress['push']; reload: () => void }) {
  const notification = {
    to: { device_id: device.id },
    payload: { title: 'Hello from Carillon', alert: 'This is your first push.' },
    time_to_live: TEST_SECONDS,
    quiet_hours: 'ignore',
  };
  return (
    <>
      {push === undefined ? (
        <p>
          “This is your first push.”, to <bdi>{nameOf(device)}</bdi> alone.
        </p>
      ) : (
        <>
          <PushResult result={push} about={push.title ?? push.alert ?? push.notification_id} />
          {push.state === 'accepted' && (
            <p>
              {device.platform === 'iOS' ? 'Apple' : device.platform === 'Web' ? 'The push service' : 'Google'} has it:
              look at your phone. If it shows nothing, the app may lack the permission to notify
              {device.platform === 'Android' && ', or does not draw the push yet'}.
            </p>
          )}
        </>
      )}
      <div class="buttons">
        <ActionButton
          label={push === undefined ? 'Send a push' : 'Send another'}
          {...(push === undefined && { kind: 'primary' as const })}
          needs="sender"
          call={{ method: 'POST', path: '/v6/notifications', body: { notification } }}
          done="The push is on its way."
          onDone={reload}
        />
        {push !== undefined && (
          <>
            <a class="button primary" href={appAddress('compose')}>
              Compose one of your own
            </a>
            <a class="button" href={appAddress(`notifications/${push.notification_id}`)}>
              Open the notification
            </a>
          </>
        )}
      </div>
    </>
  );
}

/** A few devices that have registered since then. */
function devicesSince(at: string): ApiCall {
  const filters = [{ name: 'registered_at', criteria: [{ gte: at }] }];
  return { method: 'POST', path: '/v6/audiences/sample', body: { filters } };
}

/** Read again every two seconds while something is awaited. */
function useProgress(): { progress: Resource<Progress>; reload: () => void } {
  const { state, reload, refresh } = useResource(readProgress, [app.value?.id]);
  const push = state.value.data?.push;
  useWhileVisible(push === undefined || UNDECIDED.has(push.state) ? READ_EVERY_MS : undefined, refresh);
  return { progress: state.value, reload };
}

async function readProgress(signal: AbortSignal): Promise<Progress> {
  const [routes, { keys }] = await Promise.all([
    routesOfApp(signal),
    may('admin') ? call<{ keys: ApiKey[] }>({ method: 'GET', path: '/v6/keys' }, signal) : { keys: [] },
  ]);
  const ofPhones = keys.filter(({ scopes, revoked_at: end }) => end === null && scopes.join() === 'register');
  // A phone that registers again with another key is as it was, so the first key counts.
  const since = ofPhones.at(-1)?.created_at ?? LONG_AGO;
  // The reply has any ten of them, so those of the last minutes are asked for first.
  const lately = new Date(Date.now() - LATELY_MS).toISOString();
  let devices: readonly Device[] = [];
  for (const from of lately > since ? [lately, since] : [since]) {
    if (devices.length === 0) ({ devices } = await call<{ devices: Device[] }>(devicesSince(from), signal));
  }
  const [device] = devices.toSorted((one, other) => other.registered_at.localeCompare(one.registered_at));
  const path = `/v6/devices/${device?.id ?? ''}/pushes`;
  const { pushes } =
    device === undefined ? { pushes: [] } : await call<{ pushes: DevicePush[] }>({ method: 'GET', path }, signal);
  return {
    hasApple: routes.some((route) => route.route.startsWith('apns') && route.has_credentials),
    hasGoogle: routes.some((route) => route.route === 'fcm' && route.has_credentials),
    hasKey: ofPhones.length > 0,
    device,
    push: pushes.find(({ state }) => state !== 'planned' && state !== 'held'),
  };
}
