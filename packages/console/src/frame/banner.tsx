/** Says what is missing before pushes can be sent, and the next step. */
import type { Content } from '../kit/content.ts';
import { Icon } from '../kit/icon.tsx';
import { useResource } from '../kit/resource.ts';
import { routesOfApp, routesRound } from './routes-of-app.ts';
import { appAddress, may } from './session.ts';

const missing = {
  apns_production: 'iPhones get no pushes: there is no Apple key for the production environment.',
  apns_sandbox: 'Development iPhones get no pushes: there is no Apple key for the sandbox.',
  fcm: 'Android devices get no pushes: there is no Google service account.',
} as const;

const names = {
  apns_production: 'Apple',
  apns_sandbox: 'Apple’s sandbox',
  fcm: 'Google',
} as const;

/**
 * Read once per app, and after each change by the reader; a failure shows nothing here, because the screen shows its
 * own failure.
 */
export function Banner(): Content {
  const { state } = useResource(routesOfApp, [routesRound.value]);
  const routes = state.value.data;
  if (routes === undefined) return null;
  const lines = routes.flatMap(({ route, has_devices, has_credentials, pause }) => {
    if (has_devices && !has_credentials) return [missing[route]];
    return pause === null ? [] : [`Sending to ${names[route]} is paused: ${pause.reason}`];
  });
  if (routes.every(({ has_credentials, has_devices }) => !has_credentials && !has_devices)) {
    lines.push('Nothing can be sent yet: this app has neither devices nor credentials of Apple or Google.');
  }
  if (lines.length === 0) return null;
  const isPause = routes.every(({ has_devices, has_credentials }) => has_credentials || !has_devices);
  return (
    <section class="banner" aria-label="What is missing">
      <Icon name="warning" />
      <div>
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
        {may('admin') ? (
          <p>
            <a href={appAddress('settings/credentials')}>Open the credentials</a>
          </p>
        ) : (
          <p>An admin of this app can {isPause ? 'resume it' : 'add credentials'} in its settings.</p>
        )}
      </div>
    </section>
  );
}
