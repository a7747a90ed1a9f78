import { routesOfApp } from '../../../frame/routes-of-app.ts';
import type { Content } from '../../../kit/content.ts';
import { useResource } from '../../../kit/resource.ts';
import type { AppRoute } from '../../../replies.ts';

const NAMES = {
  apns_production: 'Apple, production',
  apns_sandbox: 'Apple’s sandbox, for devices flagged as development',
  fcm: 'Google',
} as const;

/** The routes to the app's devices, with a note if one is closed. */
export function Environment(): Content {
  const { state } = useResource(routesOfApp, []);
  const routes = (state.value.data ?? []).filter(({ has_devices: isUsed }) => isUsed);
  return (
    <ul class="compose-routes">
      {routes.map((one) => (
        <li key={one.route}>
          {NAMES[one.route]}
          {closed(one) !== '' && <strong class="compose-closed">{closed(one)}</strong>}
        </li>
      ))}
    </ul>
  );
}

function closed({ has_credentials: isOpen, pause }: AppRoute): string {
  if (!isOpen) return ': no credentials, so these devices get nothing';
  return pause === null ? '' : `: paused, because ${pause.reason}`;
}
