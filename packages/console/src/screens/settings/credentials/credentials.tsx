/** The credentials of the app at Apple and Google, and whether its routes work. */
import { type ApiCall, call } from '../../../frame/api.ts';
import { announce } from '../../../frame/notices.tsx';
import { lookForTroubles } from '../../../frame/troubles.ts';
import { app, appAddress, may } from '../../../frame/session.ts';
import { ActionButton } from '../../../kit/action.tsx';
import { Badge } from '../../../kit/badge.tsx';
import { Curl } from '../../../kit/developer/curl.tsx';
import { useResource } from '../../../kit/resource.ts';
import { Empty, Waiting } from '../../../kit/states.tsx';
import { TimeAgo } from '../../../kit/time.tsx';
import { CredentialForm } from './credential-form.tsx';
import { SettingsPage } from '../page.tsx';
import { routeNames, routeState } from './routes.ts';
import type { Credential, CredentialsRoute } from '../../../replies.ts';

const list: ApiCall = { method: 'GET', path: '/v6/credentials' };

const environmentNames: Readonly<Record<Credential['environment'], string>> = {
  all: 'all environments',
  production: 'production only',
  sandbox: 'development only',
};

export function Credentials() {
  const { state, reload } = useResource(
    async (signal) => call<{ credentials: Credential[]; routes: CredentialsRoute[] }>(list, signal),
    [app.value?.id],
  );
  const { data } = state.value;
  const changed = (): void => {
    reload();
    lookForTroubles();
  };
  return (
    <SettingsPage
      title="Credentials"
      text="What Apple and Google accept from this server. Private keys are encrypted, and never shown again.">
      <Curl call={list} />
      <Waiting of={state.value} retry={reload} what="Reading the credentials" />
      {data !== undefined && <h2 id="routes">Ways to the phones</h2>}
      {data !== undefined && <Routes routes={data.routes} onChanged={changed} />}
      {data?.credentials.length === 0 && (
        <Empty title="No credentials are stored: nothing can be sent">
          <p>Store Apple’s .p8 key for iOS, and a service account of Firebase for Android.</p>
        </Empty>
      )}
      {data !== undefined && data.credentials.length > 0 && (
        <>
          <h2>Stored</h2>
          <ul class="settings-rows">
            {data.credentials.map((credential) => (
              <Stored
                key={`${credential.gateway} ${credential.environment}`}
                credential={credential}
                onChanged={changed}
              />
            ))}
          </ul>
        </>
      )}
      {may('admin') && data !== undefined && (
        <section class="stack" aria-labelledby="new-credentials">
          <h2 id="new-credentials">Add or replace</h2>
          <CredentialForm
            key={data.credentials.map(({ stored_at: at }) => at).join()}
            onDone={() => {
              announce('The credentials are stored.');
              changed();
            }}
          />
        </section>
      )}
    </SettingsPage>
  );
}

function Routes({ routes, onChanged }: { routes: readonly CredentialsRoute[]; onChanged: () => void }) {
  return (
    <ul class="settings-rows" aria-labelledby="routes">
      {routes.map((route) => (
        <li key={route.route}>
          <RouteLines route={route} />
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

function RouteLines({ route }: { route: CredentialsRoute }) {
  const { label, tone } = routeState(route.credentials !== null, route.pause !== null, route.works);
  return (
    <div>
      <h3>
        {routeNames[route.route]} <Badge tone={tone}>{label}</Badge>
      </h3>
      <RouteFacts route={route} />
    </div>
  );
}

function RouteFacts({ route: { credentials, works, pause, last_refusal: refusal } }: { route: CredentialsRoute }) {
  if (pause !== null) {
    return (
      <>
        <p>{pause.reason}</p>
        <p class="muted">
          Since <TimeAgo at={pause.since} />.
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

function Stored({ credential, onChanged }: { credential: Credential; onChanged: () => void }) {
  const { gateway, environment, stored_at: at, readable, key_id, team_id, project_id, identity } = credential;
  const name =
    gateway === 'apns' ? 'Apple key' : identity === 'process' ? 'Identity of the servers' : 'Service account';
  const query = environment === 'all' ? '' : `?environment=${environment}`;
  const facts = [
    key_id && `key ${key_id}`,
    team_id && `team ${team_id}`,
    project_id && `project ${project_id}`,
    gateway === 'apns' && environmentNames[environment],
  ].filter((fact) => typeof fact === 'string' && fact !== '');
  return (
    <li>
      <div>
        <h3>{name}</h3>
        <p class="muted">
          <bdi>{facts.join(', ')}</bdi>, stored <TimeAgo at={at} />
        </p>
        {!readable && (
          <p class="failure">Encrypted with another SECRET_KEY: set that key, or store the credentials again.</p>
        )}
      </div>
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
