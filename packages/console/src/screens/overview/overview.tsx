/** The page on which the console opens for an app: what needs attention, its days, and its devices by kind. */
import { useEffect } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { addressOf, place, setQuery } from '../../frame/router.ts';
import { app, appAddress, may } from '../../frame/session.ts';
import { Curl } from '../../kit/developer/curl.tsx';
import { Select } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Failure, Loading } from '../../kit/states.tsx';
import { AttentionList } from './attention.tsx';
import { DaysSection } from './days.tsx';
import { DevicesSection } from './devices.tsx';
import type { Notification, NotificationPage } from '../notifications/notification.tsx';
import { Latest } from './latest.tsx';
import { FirstSteps } from './steps.tsx';
import type { Overview, OverviewNumbers } from '../../replies.ts';

const DAYS_DEFAULT = '30';
const dayOptions = ['7', '30', '90'].map((days) => ({ value: days, label: `${days} days` }));
/** The interval at which workers count. */
const READ_EVERY_MS = 15_000;
const LATEST = 5;

export function OverviewScreen(): Content {
  const days = place.value.query.get('days') ?? DAYS_DEFAULT;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const request: ApiCall = {
    method: 'GET',
    path: addressOf('/v6/overview', { days, time_zone: timeZone }),
  };
  const { state, reload } = useResource(
    async (signal) => {
      const [{ overview }, { notifications }] = await Promise.all([
        call<Overview>(request, signal),
        call<NotificationPage>({ method: 'GET', path: `/v6/notifications?per=${LATEST}` }, signal),
      ]);
      return { overview, notifications };
    },
    [app.value?.id, request.path],
  );
  useWhileVisible(reload);
  const { data, error } = state.value;
  return (
    <div class="stack">
      <div class="screen-head">
        <h1>Overview</h1>
        <div class="overview-choice">
          <Curl call={request} />
          <Select
            label="Period"
            value={days}
            options={dayOptions}
            onChange={(value) => setQuery({ days: value === DAYS_DEFAULT ? undefined : value }, 'push')}
          />
          {may('sender') && (
            <a class="button primary" href={appAddress('compose')}>
              Compose
            </a>
          )}
        </div>
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading what="Loading the numbers" />}
      {data !== undefined && <Sections {...data} />}
    </div>
  );
}

function Sections(props: { overview: OverviewNumbers; notifications: readonly Notification[] }): Content {
  const { overview, notifications } = props;
  const { days, days_counted_at: countedAt, devices, attention } = overview;
  if (notifications.length === 0) {
    return (
      <>
        <FirstSteps />
        {devices !== null && devices.total > 0 && <DevicesSection devices={devices} />}
      </>
    );
  }
  return (
    <>
      <AttentionList attention={attention} />
      <DaysSection days={days} countedAt={countedAt} />
      <Latest notifications={notifications} />
      <DevicesSection devices={devices} />
    </>
  );
}

/** Calls `reload` at an interval, while the page is visible. */
function useWhileVisible(reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, READ_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}
