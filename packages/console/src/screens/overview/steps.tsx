import { routesOfApp } from '../../frame/routes-of-app.ts';
import { app, appAddress, may } from '../../frame/session.ts';
import { Icon } from '../../kit/icon.tsx';
import { useResource } from '../../kit/resource.ts';
import { Waiting } from '../../kit/states.tsx';

/** For an app that has not sent anything: how far it is. The guide of `../start` has the steps themselves. */
export function FirstSteps() {
  const { state, reload } = useResource(routesOfApp, [app.value?.id]);
  const { data: routes } = state.value;
  if (routes === undefined) return <Waiting of={state.value} retry={reload} />;
  const steps = [
    { title: 'The key of Apple or Google', isDone: routes.some(({ has_credentials: has }) => has) },
    { title: 'A phone that has registered', isDone: routes.some(({ has_devices: has }) => has) },
    { title: 'A push', isDone: false },
  ];
  return (
    <section class="card overview-steps" aria-labelledby="overview-steps">
      <h2 id="overview-steps">Your first push</h2>
      <p class="muted">Nothing has been sent yet. Numbers appear here soon after the first push.</p>
      <ol>
        {steps.map(({ title, isDone }) => (
          <li key={title}>
            {title}{' '}
            {isDone && (
              <span class="overview-done">
                <Icon name="check" />
                Done
              </span>
            )}
          </li>
        ))}
      </ol>
      {may('sender') ? (
        <div class="buttons">
          <a class="button primary" href={appAddress('start')}>
            {steps.some(({ isDone }) => isDone) ? 'Go on' : 'Begin'}
          </a>
        </div>
      ) : (
        <p class="muted">A sender or an admin of this app can send it.</p>
      )}
    </section>
  );
}
