/** The credentials of the app at Apple and Google, and whether its routes work. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { lookForTroubles } from '../../frame/troubles.ts';
import { app, appAddress, may } from '../../frame/session.ts';
import { ActionButton } from '../../kit/action.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Empty, Failure, Loading } from '../../kit/states.tsx';
import { TimeAgo, Time } from '../../kit/time.tsx';
import { AppleForm, GoogleForm } from './credential-forms.tsx';
import { SettingsTabs } from './tabs.tsx';
import type { Credential, CredentialsRoute } from '../../replies.ts';

const list: ApiCall = { method: 'GET', path: '/v6/credentials' };

const routeNames: Readonly<Record<CredentialsRoute['route'], string>> = {
  apns_production: 'Apple, production',
  apns_sandbox: 'Apple, development',
  fcm: 'Google',
};
const environmentNames: Readonly<Record<Credential['environment'], string>> = {
  all: 'all environments',
  production: 'production only',
  sandbox: 'development only',
};

export function Credentials(): Content {
  const { state, reload } = useResource(
    async (signal) => call<{ credentials: Credential[]; routes: CredentialsRoute[] }>(list, signal),
    [app.value?.id],
  );
  const [form, setForm] = useState<'apns' | 'fcm' | undefined>(undefined);
  const { data, error, isLoading } = state.value;
  const changed = (): void => {
    setForm(undefined);
    reload();
    lookForTroubles();
  };
  return (
    <div class="stack">
      <h1>Settings</h1>
      <SettingsTabs />
      <div class="screen-head">
        <p class="muted">
          What Apple and Google accept from this server. Private keys are encrypted, and never shown again.
        </p>
        <div class="buttons">
          <Curl call={list} />
          <button type="button" disabled={!may('admin')} onClick={() => setForm('apns')}>
            Store an Apple key
          </button>
          <button type="button" disabled={!may('admin')} onClick={() => setForm('fcm')}>
            Store a service account
          </button>
        </div>
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && isLoading && <Loading what="Reading the credentials" />}
      {data !== undefined && <Routes routes={data.routes} onChanged={changed} />}
      {data?.credentials.length === 0 && (
        <Empty title="No credentials are stored: nothing can be sent">
          <p>Store Apple’s .p8 key for iOS, and a service account of Firebase for Android.</p>
        </Empty>
      )}
      {data !== undefined && data.credentials.length > 0 && (
        <ul class="settings-cards">
          {data.credentials.map((credential) => (
            <Stored
              key={`${credential.gateway} ${credential.environment}`}
              credential={credential}
              onChanged={changed}
            />
          ))}
        </ul>
      )}
      {form === 'apns' && <AppleForm onClose={() => setForm(undefined)} onDone={changed} />}
      {form === 'fcm' && <GoogleForm onClose={() => setForm(undefined)} onDone={changed} />}
    </div>
  );
}

function Routes({ routes, onChanged }: { routes: readonly CredentialsRoute[]; onChanged: () => void }): Content {
  return (
    <ul class="settings-cards" aria-label="Routes">
      {routes.map((route) => (
        <li key={route.route} class="card">
          <h2>
            {routeNames[route.route]} <RouteBadge route={route} />
          </h2>
          <RouteFacts route={route} />
          {route.pause !== null && (
            <ActionButton
              label="Resume"
              needs="admin"
              call={{ method: 'POST', path: `/v6/routes/${route.route}/resume` }}
              onDone={() => {
                announce(`${routeNames[route.route]} is resumed.`);
                onChanged();
              }}
              confirm={{
                title: `Resume ${routeNames[route.route]}?`,
                text: (
                  <p>
                    Waiting pushes continue at once. For a day, push tokens that are reported dead on this route are
                    retired, however many there are.
                  </p>
                ),
              }}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function RouteBadge({ route: { credentials, works, pause } }: { route: CredentialsRoute }): Content {
  if (credentials === null) return <Badge>no credentials</Badge>;
  if (pause !== null) return <Badge tone="bad">paused</Badge>;
  return works ? <Badge tone="good">works</Badge> : <Badge tone="warn">not proven yet</Badge>;
}

function RouteFacts({
  route: { credentials, works, pause, last_refusal: refusal },
}: {
  route: CredentialsRoute;
}): Content {
  if (pause !== null) {
    return (
      <>
        <p>{pause.reason}</p>
        <p class="muted">
          Since <Time at={pause.since} />.
          {pause.next_try_at !== null && (
            <>
              {' '}
              One push is tried <TimeAgo at={pause.next_try_at} />.
            </>
          )}
        </p>
      </>
    );
  }
  if (credentials === null) return <p class="muted">Pushes for this route are rejected.</p>;
  return (
    <>
      <p class="muted">
        {works ? 'A push was accepted with these credentials.' : 'No push was accepted with these credentials yet.'}
      </p>
      {refusal !== null && (
        <p>
          Last refusal: <code>{refusal.reason}</code>, <TimeAgo at={refusal.at} /> (
          <a href={appAddress(`notifications/${refusal.notification_id}`)}>notification</a>)
        </p>
      )}
    </>
  );
}

function Stored({ credential, onChanged }: { credential: Credential; onChanged: () => void }): Content {
  const { gateway, environment, stored_at: at, readable, key_id, team_id, project_id, identity } = credential;
  const name =
    gateway === 'apns' ? 'Apple key' : identity === 'process' ? 'Identity of the servers' : 'Service account';
  const query = environment === 'all' ? '' : `?environment=${environment}`;
  const facts = [
    ['Key id', key_id],
    ['Team id', team_id],
    ['Project', project_id],
    ['For', gateway === 'apns' ? environmentNames[environment] : null],
  ].filter(([, value]) => value !== null);
  return (
    <li class="card">
      <h2>{name}</h2>
      <dl class="facts">
        {facts.map(([label, value]) => (
          <>
            <dt key={label}>{label}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </>
        ))}
        <dt>Stored</dt>
        <dd>
          <TimeAgo at={at} />
        </dd>
      </dl>
      {!readable && (
        <p class="failure">Encrypted with another SECRET_KEY: set that key, or store the credentials again.</p>
      )}
      <ActionButton
        label="Remove"
        kind="danger"
        needs="admin"
        call={{ method: 'DELETE', path: `/v6/credentials/${gateway}${query}` }}
        onDone={() => {
          announce('The credentials are removed.');
          onChanged();
        }}
        confirm={{
          title: 'Remove these credentials?',
          text: <p>Nothing can be sent with them from then on. They can be stored again.</p>,
          typed: gateway,
        }}
      />
    </li>
  );
}
