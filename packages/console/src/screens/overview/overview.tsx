/** The page on which the console opens for an app: what happens now, its days, and its devices by kind. */
import { type ApiCall, call } from '../../frame/api.ts';
import { addressOf, place } from '../../frame/router.ts';
import { app, appAddress, may } from '../../frame/session.ts';
import { Card } from '../../kit/card.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Icon } from '../../kit/icon.tsx';
import { useReply, useResource, useWhileVisible, Waiting } from '../../kit/states.tsx';
import type { AppRoute, DueList, Overview } from '../../replies.ts';
import { Colours, NotificationTable } from '../notifications/columns.tsx';
import type { NotificationPage } from '../notifications/notification.tsx';
import { Days, daysOf } from './days.tsx';
import { DevicesSection } from './devices.tsx';
import { duePath, Now } from './now.tsx';

/** The interval at which workers count. */
const READ_EVERY_MS = 15_000;
const LATEST = 5;

export function OverviewScreen() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const request: ApiCall = {
    method: 'GET',
    path: addressOf('/v6/overview', { days: daysOf(place.value.query), time_zone: timeZone }),
  };
  const { state, reload, refresh } = useResource(
    async (signal) => {
      const read = async <Reply,>(path: string): Promise<Reply> => call<Reply>({ method: 'GET', path }, signal);
      const [{ overview }, latest, sending, due] = await Promise.all([
        call<Overview>(request, signal),
        read<NotificationPage>(`/v6/notifications?per=${LATEST}`),
        read<NotificationPage>(`/v6/notifications?per=${LATEST}&state=sending`),
        read<DueList>(duePath()),
      ]);
      return { overview, latest: latest.notifications, sending: sending.notifications, due };
    },
    [app.value?.id, request.path],
  );
  useWhileVisible(READ_EVERY_MS, refresh);
  const { data } = state.value;
  return (
    <div class="stack overview">
      <div class="screen-head">
        <h1>Overview</h1>
        <Curl call={request} />
        {may('sender') && (
          <a class="button primary" href={appAddress('compose')}>
            Compose
          </a>
        )}
      </div>
      <Waiting of={state.value} retry={reload} what="Loading the numbers" />
      {data?.latest.length === 0 && <FirstSteps />}
      {data !== undefined && data.latest.length > 0 && (
        <>
          <Now sending={data.sending} due={data.due} attention={data.overview.attention} />
          <Days overview={data.overview} latest={data.latest} />
          <section class="stack" aria-labelledby="overview-latest">
            <div class="screen-head">
              <h2 id="overview-latest">Latest notifications</h2>
              <a href={appAddress('notifications')}>All notifications</a>
            </div>
            <NotificationTable label="Latest notifications" rows={data.latest} />
            <Colours />
          </section>
        </>
      )}
      {data !== undefined && (data.latest.length > 0 || (data.overview.devices?.total ?? 0) > 0) && (
        <DevicesSection devices={data.overview.devices} />
      )}
    </div>
  );
}

/** For an app that has not sent anything: how far it is. The guide of `../start` has the steps themselves. */
function FirstSteps() {
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
      <ol class="lines">
        {steps.map(({ title, isDone }) => (
          <li key={title}>
            <span>{title}</span>
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
