import { appAddress, may } from '../../frame/session.ts';
import { Icon } from '../../kit/icon.tsx';
import { useReply, Waiting } from '../../kit/states.tsx';
import { Card } from '../../kit/card.tsx';
import type { AppRoute } from '../../replies.ts';

/** For an app that has not sent anything: how far it is. The guide of `../start` has the steps themselves. */
export function FirstSteps() {
  const read = useReply<{ app: { routes: readonly AppRoute[] } }>({ method: 'GET', path: '/v6/app' });
  const { routes } = read.data?.app ?? {};
  if (routes === undefined) return <Waiting of={read} />;
  const steps = [
    { title: 'The key of Apple or Google', isDone: routes.some(({ has_credentials: has }) => has) },
    { title: 'A phone that has registered', isDone: routes.some(({ has_devices: has }) => has) },
    { title: 'A push', isDone: false },
  ];
  return (
    <Card title="Your first push">
      <p class="muted">Nothing has been sent yet. Numbers appear here soon after the first push.</p>
      <ol class="stack overview-steps">
        {steps.map(({ title, isDone }) => (
          <li key={title}>
            {title}{' '}
            {isDone && (
              <span class="toned good">
                <Icon name="check" /> Done
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
    </Card>
  );
}
