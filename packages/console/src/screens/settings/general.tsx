/** The app itself. */
import { app, appAddress, may } from '../../frame/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { Id } from '../../kit/copy.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { useReply, Waiting } from '../../kit/states.tsx';
import type { AppRoute } from '../../replies.ts';
import { SettingsPage } from './page.tsx';
import { routeNames, routeState } from './credentials/routes.ts';

export function General() {
  const read = useReply<{ app: { routes: readonly AppRoute[] } }>({ method: 'GET', path: '/v6/app' });
  const here = app.value;
  if (here === undefined) return null;
  const { id, name, bundle_id: bundleId, role } = here;
  return (
    <SettingsPage title="General">
      <dl class="facts">
        <dt>Name</dt>
        <dd>
          <bdi>{name}</bdi>
        </dd>
        <dt>Bundle id</dt>
        <dd>
          <code>{bundleId}</code> <span class="muted">also the package name on Android</span>
        </dd>
        <dt>Your role</dt>
        <dd>{role}</dd>
        {read.data?.app.routes.map((route) => {
          const { label, tone } = routeState(route.has_credentials, route.pause !== null, route.is_proven);
          return (
            <>
              <dt key={route.route}>{routeNames[route.route]}</dt>
              <dd>
                <Badge tone={tone}>{label}</Badge>{' '}
                <span class="muted">{route.has_devices ? 'The app has such devices.' : 'No such device yet.'}</span>
              </dd>
            </>
          );
        })}
      </dl>
      <Waiting of={read} what="Reading the app" />
      {may('admin') && (
        <p>
          <a href={appAddress('start')}>Go through the first steps again</a>
        </p>
      )}
      <ForDevelopers title="Id of the app">
        <Id value={id} />
      </ForDevelopers>
      <ForDevelopers title="How Android shows its pushes">
        <pre class="code" tabindex={0}>
          {`carillon apps set --app ${bundleId} --android-presentation system`}
        </pre>
      </ForDevelopers>
    </SettingsPage>
  );
}
