/** The app itself. */
import { app, appAddress, may } from '../../frame/session.ts';
import { Facts } from '../../kit/card.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Code, Id } from '../../kit/copy.tsx';
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
  const routes = read.data?.app.routes ?? [];
  return (
    <SettingsPage title="General">
      <Facts
        facts={[
          ['Name', <bdi>{name}</bdi>],
          ['Bundle id', [<code>{bundleId}</code>, <span class="muted"> also the package name on Android</span>]],
          ['Your role', `${role.charAt(0).toUpperCase()}${role.slice(1)}`],
          ...routes.map((route) => [routeNames[route.route], <Route route={route} />] as const),
        ]}
      />
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
        <Code text={`carillon apps set --app ${bundleId} --android-presentation system`} />
      </ForDevelopers>
    </SettingsPage>
  );
}

function Route({ route }: { route: AppRoute }) {
  const { label, tone } = routeState(route.has_credentials, route.pause !== null, route.is_proven);
  return (
    <>
      <Badge tone={tone}>{label}</Badge>{' '}
      <span class="muted">{route.has_devices ? 'The app has such devices.' : 'No such device yet.'}</span>
    </>
  );
}
