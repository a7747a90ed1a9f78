import { routesOfApp } from '../../frame/routes-of-app.ts';
import { app, appAddress, may } from '../../frame/session.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import type { Content } from '../../kit/content.ts';
import { Icon } from '../../kit/icon.tsx';
import { useResource } from '../../kit/resource.ts';
import { Failure } from '../../kit/states.tsx';

const registration = {
  method: 'POST',
  path: '/v6/devices',
  body: { device: { platform: 'Android', push_token: '<the token that Firebase gave your app>' } },
} as const;

/** For an app that has not sent anything: the steps to the first push, with a mark at those that are done. */
export function FirstSteps(): Content {
  const { state, reload } = useResource(routesOfApp, [app.value?.id]);
  const { data: routes, error } = state.value;
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  if (routes === undefined) return null;
  const hasCredentials = routes.some(({ has_credentials: has }) => has);
  const hasDevices = routes.some(({ has_devices: has }) => has);
  return (
    <section class="card overview-steps" aria-labelledby="overview-steps">
      <h2 id="overview-steps">Your first push</h2>
      <p class="muted">Nothing has been sent yet. Numbers appear here soon after the first push.</p>
      <ol>
        <Step isDone={hasCredentials} title="Store the credentials of Apple or Google">
          <p>
            An <code>.p8</code> key of Apple, or a service account of Firebase. They are encrypted, and tried before
            they are stored.
          </p>
          {may('admin') ? (
            <a href={appAddress('settings/credentials')}>Open the credentials</a>
          ) : (
            <p class="muted">An admin of this app can do it.</p>
          )}
        </Step>
        <Step isDone={hasDevices} title="Register a device">
          <p>
            Your app does it at every start, with a key that may only register. Many devices at once are{' '}
            <a href={appAddress('devices')}>imported</a>.
          </p>
          <Curl call={registration} label="Register by curl" />
        </Step>
        <Step isDone={false} title="Send a push">
          <p>Try it with a dry run or a test first: both are on the same page.</p>
          {may('sender') ? (
            <a class="button" href={appAddress('compose')}>
              Compose the first one
            </a>
          ) : (
            <p class="muted">A sender or an admin of this app can do it.</p>
          )}
        </Step>
      </ol>
    </section>
  );
}

function Step(props: { isDone: boolean; title: string; children?: Content }): Content {
  const { isDone, title, children } = props;
  return (
    <li class={isDone ? 'done' : undefined}>
      <h3>
        {title}{' '}
        {isDone && (
          <span class="overview-done">
            <Icon name="check" />
            done
          </span>
        )}
      </h3>
      {children}
    </li>
  );
}
