import { routesOfApp } from '../../frame/routes-of-app.ts';
import { app, appAddress, may } from '../../frame/session.ts';
import { CurlButton } from '../../kit/curl.ts';
import { html, type Content } from '../../kit/html.ts';
import { Icon } from '../../kit/icon.ts';
import { useResource } from '../../kit/resource.ts';
import { Failure } from '../../kit/states.ts';

const registration = {
  method: 'POST',
  path: '/v6/devices',
  body: { device: { platform: 'Android', push_token: '<the token that Firebase gave your app>' } },
} as const;

/** For an app that has not sent anything: the steps to the first push, with a mark at those that are done. */
export function FirstSteps(): Content {
  const { state, reload } = useResource(routesOfApp, [app.value?.id]);
  const { data: routes, error } = state.value;
  if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`;
  if (routes === undefined) return null;
  const hasCredentials = routes.some(({ has_credentials: has }) => has);
  const hasDevices = routes.some(({ has_devices: has }) => has);
  return html`<section class="card overview-steps" aria-labelledby="overview-steps">
    <h2 id="overview-steps">Your first push</h2>
    <p class="muted">Nothing has been sent yet. Numbers appear here soon after the first push.</p>
    <ol>
      <${Step} isDone=${hasCredentials} title="Store the credentials of Apple or Google">
        <p>
          An <code>.p8</code> key of Apple, or a service account of Firebase. They are encrypted, and tried
          before they are stored.
        </p>
        ${
          may('admin')
            ? html`<a href=${appAddress('settings/credentials')}>Open the credentials</a>`
            : html`<p class="muted">An admin of this app can do it.</p>`
        }
      <//>
      <${Step} isDone=${hasDevices} title="Register a device">
        <p>
          Your app does it at every start, with a key that may only register. Many devices at once are
          <a href=${appAddress('devices')}>imported</a>.
        </p>
        <${CurlButton} call=${registration} label="Register by curl" />
      <//>
      <${Step} isDone=${false} title="Send a push">
        <p>Try it with a dry run or a test first: both are on the same page.</p>
        ${
          may('sender')
            ? html`<a class="button" href=${appAddress('compose')}>Compose the first one</a>`
            : html`<p class="muted">A sender or an admin of this app can do it.</p>`
        }
      <//>
    </ol>
  </section>`;
}

function Step(props: { isDone: boolean; title: string; children?: Content }): Content {
  const { isDone, title, children } = props;
  return html`<li class=${isDone ? 'done' : undefined}>
    <h3>${title} ${isDone && html`<span class="overview-done"><${Icon} name="check" />done</span>`}</h3>
    ${children}
  </li>`;
}
