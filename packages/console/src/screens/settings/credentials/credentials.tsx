/** The credentials of the app at Apple and Google, and whether its routes work. */
import { lookForTroubles } from '../../../frame/troubles.ts';
import { appAddress, may } from '../../../frame/session.ts';
import { ActionButton } from '../../../kit/action.tsx';
import { Badge } from '../../../kit/badge.tsx';
import { Empty, useReply, Waiting } from '../../../kit/states.tsx';
import { TimeAgo } from '../../../kit/time.tsx';
import type { Credential, CredentialsRoute } from '../../../replies.ts';
import { SettingsPage } from '../page.tsx';
import { CredentialForm, environments, VapidForm } from './credential-form.tsx';
import { routeNames, routeState } from './routes.ts';

export function Credentials() {
  const read = useReply<{ credentials: Credential[]; routes: CredentialsRoute[] }>({
    method: 'GET',
    path: '/v6/credentials',
  });
  const changed = (): void => {
    read.reload();
    lookForTroubles();
  };
  const { credentials, routes } = read.data ?? {};
  return (
    <SettingsPage
      title="Credentials"
      text="What the gateways accept from this server. Private keys are encrypted, and never shown again.">
      <Waiting of={read} what="Reading the credentials" />
      {routes !== undefined && (
        <>
          <h2 id="routes">Ways to the devices</h2>
          <ul class="lines" aria-labelledby="routes">
            {routes.map((route) => (
              <Route key={route.route} route={route} onChanged={changed} />
            ))}
          </ul>
        </>
      )}
      {credentials?.length === 0 && (
        <Empty title="No credentials are stored: nothing can be sent">
          <p>Store Apple’s .p8 key for iOS, and a service account of Firebase for Android.</p>
        </Empty>
      )}
      {credentials !== undefined && credentials.length > 0 && (
        <>
          <h2>Stored</h2>
          <ul class="lines">
            {credentials.map((one) => (
              <Stored key={`${one.gateway} ${one.environment}`} credential={one} onChanged={changed} />
            ))}
          </ul>
        </>
      )}
      {may('admin') && credentials !== undefined && (
        <section class="stack" aria-labelledby="new-credentials">
          <h2 id="new-credentials">Add or replace</h2>
          <CredentialForm key={credentials.map(({ stored_at: at }) => at).join()} onDone={read.reload} />
          {credentials.every(({ gateway }) => gateway !== 'web_push') && <VapidForm onDone={changed} />}
        </section>
      )}
    </SettingsPage>
  );
}

function Route({ route, onChanged }: { route: CredentialsRoute; onChanged: () => void }) {
  const name = routeNames[route.route];
  const { label, tone } = routeState(route.credentials !== null, route.pause !== null, route.works);
  return (
    <li>
      <div>
        <h3>
          {name} <Badge tone={tone}>{label}</Badge>
        </h3>
        <RouteFacts route={route} />
      </div>
      {route.pause !== null && (
        <ActionButton
          label="Resume"
          needs="admin"
          call={{ method: 'POST', path: `/v6/routes/${route.route}/resume` }}
          done={`${name} is resumed.`}
          onDone={onChanged}
          confirm={{
            title: `Resume ${name}?`,
            text: 'Waiting pushes continue at once. For a day, push tokens that are reported dead on this route are retired, however many there are.',
          }}
        />
      )}
    </li>
  );
}

function RouteFacts({ route: { credentials, works, pause, last_refusal: refusal } }: { route: CredentialsRoute }) {
  if (pause !== null) {
    const { reason, since, next_try_at: next } = pause;
    return (
      <>
        <p>{reason}</p>
        <p class="muted">
          Since <TimeAgo at={since} />. {next !== null && ['One push is tried ', <TimeAgo at={next} />, '.']}
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
  const { gateway, environment, identity, key_id, team_id, project_id, public_key } = credential;
  const names = {
    apns: 'Apple key',
    fcm: identity === 'process' ? 'Identity of the servers' : 'Service account',
    web_push: 'VAPID key',
  };
  const query = environment === 'all' ? '' : `?environment=${environment}`;
  const facts = [
    key_id && `key ${key_id}`,
    team_id && `team ${team_id}`,
    project_id && `project ${project_id}`,
    public_key && `public key ${public_key}`,
    gateway === 'apns' && environments.find(({ value }) => value === environment)?.label.toLowerCase(),
  ].filter(Boolean);
  return (
    <li>
      <div>
        <h3>{names[gateway]}</h3>
        <p class="muted">
          <bdi>{facts.join(', ')}</bdi>, stored <TimeAgo at={credential.stored_at} />
        </p>
        {!credential.readable && (
          <p class="failure">Encrypted with another SECRET_KEY: set that key, or store the credentials again.</p>
        )}
      </div>
      <ActionButton
        label="Remove"
        kind="danger"
        needs="admin"
        call={{ method: 'DELETE', path: `/v6/credentials/${gateway}${query}` }}
        done="The credentials are removed."
        onDone={onChanged}
        confirm={{
          title: 'Remove these credentials?',
          text:
            gateway === 'web_push'
              ? 'Browsers are bound to this key. Without a copy (carillon credentials web-push --export), all have to subscribe again.'
              : 'Nothing can be sent with them from then on. They can be stored again.',
          typed: gateway,
        }}
      />
    </li>
  );
}
