/** One notification: its progress while it is sent, what became of it, and in another tab its devices. */
import { addressOf, go, place } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.tsx';
import { appAddress, may } from '../../frame/session.ts';
import { LinkButton } from '../../kit/action.tsx';
import { Id } from '../../kit/copy.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { Failure, useReply, useWhileVisible, Waiting } from '../../kit/states.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import { Card } from '../../kit/card.tsx';
import type { NotificationReport } from '../../replies.ts';
import { WaveCalendar } from '../../waves/calendar.tsx';
import { hasMoments, PlannedWaves } from '../../waves/planned.tsx';
import { CancelButton } from './cancel.tsx';
import { Facts } from './facts.tsx';
import { type Live, type RatePoint, useLive } from './live.ts';
import {
  type Counters,
  isOver,
  type Notification,
  notificationPath,
  type State,
  stateLabels,
  stateTones,
  titleOf,
  whyAddress,
} from './notification.tsx';
import { Outcomes } from './outcomes.tsx';
import { ProgressCard, RateChart } from './progress.tsx';
import { FunnelCard, Reasons, VariantsCard } from './report.tsx';
import { SentTray } from './sent-tray.tsx';

/** The report is read again this often while it is being sent. */
const REPORT_EVERY_MS = 15_000;
/** In a gap of more steps than this, nothing was sent. */
const GAP_STEPS = 10;

const tabs = [
  { view: 'result', label: 'Result' },
  { view: 'outcomes', label: 'Devices' },
] as const;

export function OneNotification({ params }: ScreenProps<'notifications/:notification_id'>) {
  const id = params.notification_id;
  const read = useReply<Notification>({ method: 'GET', path: notificationPath(id) });
  if (read.data !== undefined) return <Shown notification={read.data} reload={read.reload} />;
  return (
    <div class="stack">
      <h1>Notification</h1>
      <Waiting of={read} />
    </div>
  );
}

function Shown({ notification, reload }: { notification: Notification; reload: () => void }) {
  const { id } = notification;
  const path = notificationPath(id);
  const report = useReply<NotificationReport>({ method: 'GET', path: `${path}/report` });
  const live = useLive(id, () => {
    report.reload();
    reload();
  });
  const { progress } = live.value;
  const counters: Counters = progress ?? notification;
  useWhileVisible(counters.state === 'sending' ? REPORT_EVERY_MS : undefined, report.refresh);
  const tab = place.value.query.get('tab') === 'outcomes' ? 'outcomes' : 'result';

  return (
    <div class="stack">
      <div class="screen-head">
        <h1 dir="auto">{titleOf(notification)}</h1>
        <div class="buttons">
          {may('sender') && <LinkButton label="Compose a copy" href={appAddress('compose', { copy: id })} />}
          <LinkButton label="Ask about a device" href={whyAddress(notification)} />
        </div>
      </div>
      <div class="screen-head">
        <StateLine state={counters.state} isPaused={progress?.limit?.code === 'route_paused'} />
        <CancelButton id={id} counters={counters} onDone={reload} />
      </div>
      <Curl call={{ method: 'GET', path }} />
      <Curl call={{ method: 'GET', path: `${path}/live` }} />
      <Curl call={report.request} />
      <ForDevelopers title="The notification as it was submitted">
        <Id value={id} />
        <JsonView value={notification.notification} label="The notification as it was submitted" />
      </ForDevelopers>
      <ViewSwitch
        label="What is shown"
        views={tabs}
        shown={tab}
        onChoose={(view) => go(addressOf(place.value.path, { tab: view === 'outcomes' ? view : undefined }))}
      />
      {tab === 'outcomes' ? (
        <Outcomes notification={notification} counters={counters} report={report.data} />
      ) : (
        <Result notification={notification} live={live.value} report={report} />
      )}
    </div>
  );
}

/** The way of a notification: Planned › Sending › Sent, with where it stands. A pause is a step only while it lasts. */
function StateLine({ state, isPaused }: { state: State; isPaused: boolean }) {
  const isEnded = isOver({ state });
  const steps = ['Planned', 'Sending', ...(isPaused ? ['Paused'] : []), isEnded ? stateLabels[state] : 'Done'];
  const present = isEnded ? steps.length - 1 : state === 'scheduled' ? 0 : steps.length - 2;
  return (
    <ol class="in-line muted notifications-way" aria-label="State">
      {steps.map((step, index) => (
        <li
          key={step}
          class={index === present ? `toned ${isPaused ? 'warn' : stateTones[state]}` : undefined}
          aria-current={index === present ? 'step' : undefined}>
          {index === present ? <strong>{step}</strong> : step}
        </li>
      ))}
    </ol>
  );
}

function Result(props: {
  notification: Notification;
  live: Live;
  report: ReturnType<typeof useReply<NotificationReport>>;
}) {
  const { notification, live, report } = props;
  const { id, waves, notification: submitted } = notification;
  const { progress, points, error } = live;
  const counters: Counters = progress ?? notification;
  const { data: found } = report;
  const curve = curveOf(found, points, isOver(counters));
  return (
    <div class="columns">
      <div class="stack">
        <ProgressCard counters={counters} live={live} />
        {waves !== undefined && waves.length > 0 && (
          <Card title="Waves">
            <WaveCalendar waves={waves} />
          </Card>
        )}
        {counters.state === 'scheduled' && waves === undefined && hasMoments(submitted) && (
          <PlannedWaves body={JSON.stringify({ notification: submitted })} />
        )}
        {report.error !== undefined && <Failure error={report.error} retry={report.reload} />}
        {found !== undefined && <Reasons id={id} report={found} counters={counters} />}
        {found !== undefined && <FunnelCard funnel={found.funnel} />}
        {found?.variants?.groups.some(({ devices }) => devices > 0) && (
          <VariantsCard id={id} variants={found.variants} />
        )}
        {curve.length > 1 && <RateChart points={curve} />}
        {error !== undefined && <Failure error={error} />}
      </div>
      <div class="stack">
        <Facts notification={notification} counters={counters} />
        <SentTray notification={notification} />
      </div>
    </div>
  );
}

/** The curve of the report, and the points of the stream since. At the end, the report has all of them. */
function curveOf(
  report: NotificationReport | undefined,
  points: readonly RatePoint[],
  isEnded: boolean,
): readonly RatePoint[] {
  const { step_seconds: step, points: steps } = report?.curve ?? { step_seconds: 1, points: [] };
  const curve: RatePoint[] = [];
  for (const { at: text, devices } of steps) {
    const at = Date.parse(text) / 1_000;
    const last = curve.at(-1)?.at ?? at - step;
    // A step in which no slice ended is left out of the report. After a short gap, the rate is the rate over the whole
    // gap.
    const gap = at - last;
    if (gap > step * GAP_STEPS) curve.push({ at: last + step, rate: 0 }, { at: at - step, rate: 0 });
    curve.push({ at, rate: devices / (gap > step * GAP_STEPS ? step : gap) });
  }
  const [first] = points;
  if (first === undefined || (isEnded && curve.length > 1)) return curve;
  return [...curve.filter(({ at }) => at < first.at), ...points];
}
