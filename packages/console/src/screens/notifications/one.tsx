/** One notification: its progress while it is sent, and its outcomes. */
import { useEffect } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import type { ScreenProps } from '../../frame/screen.tsx';
import { appAddress, may } from '../../frame/session.ts';
import { Id } from '../../kit/copy.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { formatDuration, languageName, listed } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { JsonView } from '../../kit/developer/json-view.tsx';
import { useResource } from '../../kit/resource.ts';
import { Failure, Loading } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { CancelButton } from './cancel.tsx';
import { FunnelCard } from './funnel.tsx';
import { type Live, type RatePoint, useLive } from './live.ts';
import {
  type Counters,
  isOver,
  makerWords,
  type Notification,
  notificationPath,
  StateBadge,
  targetAddress,
  targetWords,
  titleOf,
  whyAddress,
} from './notification.tsx';
import { ProgressCard } from './progress-card.tsx';
import { RateChart } from './rate-chart.tsx';
import { Reasons } from './reasons.tsx';
import { SentTray } from './sent-tray.tsx';
import { VariantsCard } from './variants.tsx';
import { WaveCalendar } from '../../waves/calendar.tsx';
import { hasMoments, PlannedWaves } from '../../waves/planned.tsx';
import type { NotificationReport } from '../../replies.ts';

/** The report is read again this often while it is being sent. */
const REPORT_EVERY_MS = 15_000;
/** In a gap of more steps than this, nothing was sent. */
const GAP_STEPS = 10;

export function OneNotification({ params }: ScreenProps<'notifications/:notification_id'>): Content {
  const id = params.notification_id;
  const read: ApiCall = { method: 'GET', path: notificationPath(id) };
  const { state, reload } = useResource(async (signal) => call<Notification>(read, signal), [id]);
  const { data, error } = state.value;
  if (data !== undefined) return <Shown notification={data} read={read} reload={reload} />;
  return (
    <div class="stack">
      <h1>Notification</h1>
      {error === undefined ? <Loading /> : <Failure error={error} retry={reload} />}
    </div>
  );
}

function Shown(props: { notification: Notification; read: ApiCall; reload: () => void }): Content {
  const { notification, read, reload } = props;
  const { id, notification: submitted } = notification;
  const reportCall: ApiCall = { method: 'GET', path: `${notificationPath(id)}/report` };
  const report = useResource(async (signal) => call<NotificationReport>(reportCall, signal), [id]);
  const live = useLive(id, () => {
    report.reload();
    reload();
  });
  const { progress, isLost, points } = live.value;
  const counters: Counters = progress ?? notification;
  const isSending = counters.state === 'sending';
  useEffect(() => {
    if (!isSending) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) report.reload();
    }, REPORT_EVERY_MS);
    return () => clearInterval(timer);
  }, [isSending]);
  const found = report.state.value;
  const curve = curveOf(found.data, points, isOver(counters));

  return (
    <div class="stack">
      <Head notification={notification} counters={counters} read={read} onCanceled={reload} />
      <div class="notifications-columns">
        <div class="stack">
          <ProgressCard counters={notification} progress={progress} isLost={isLost} />
          {notification.waves !== undefined && notification.waves.length > 0 && (
            <section class="card" aria-labelledby="waves-heading">
              <h2 id="waves-heading">Waves</h2>
              <WaveCalendar waves={notification.waves} now={isOver(counters) ? undefined : Date.now()} />
            </section>
          )}
          {counters.state === 'scheduled' && notification.waves === undefined && hasMoments(submitted) && (
            <PlannedWaves body={JSON.stringify({ notification: submitted })} />
          )}
          {curve.length > 1 && (
            <section class="card" aria-label="Rate">
              <RateChart points={curve} />
            </section>
          )}
          {found.error !== undefined && <Failure error={found.error} retry={report.reload} />}
          {found.data !== undefined && <FunnelCard funnel={found.data.funnel} />}
          {found.data?.variants && found.data.variants.groups.some(({ devices }) => devices > 0) && (
            <VariantsCard id={id} variants={found.data.variants} />
          )}
          {found.data !== undefined && (
            <Reasons id={id} report={found.data} devices={counters.devices} call={reportCall} />
          )}
          <LiveFailure live={live.value} />
          <section class="card" aria-labelledby="json-heading">
            <h2 id="json-heading">As it was submitted</h2>
            <JsonView value={submitted} label="The notification as it was submitted" />
          </section>
        </div>
        <div class="stack">
          <Facts notification={notification} counters={counters} />
          <SentTray notification={notification} />
        </div>
      </div>
    </div>
  );
}

function Head(props: {
  notification: Notification;
  counters: Counters;
  read: ApiCall;
  onCanceled: () => void;
}): Content {
  const { notification, counters, read, onCanceled } = props;
  const { id } = notification;
  return (
    <div class="screen-head">
      <div class="notifications-heading">
        <h1 dir="auto">{titleOf(notification)}</h1>
        <StateBadge state={counters.state} />
      </div>
      <div class="buttons">
        <Curl call={read} />
        <Curl call={{ method: 'GET', path: `${read.path}/live` }} label="curl of the stream" />
        {may('sender') && (
          <a class="button" href={appAddress('compose', { copy: id })}>
            Compose a copy
          </a>
        )}
        <a class="button" href={whyAddress(notification)}>
          Ask about a device
        </a>
        <CancelButton id={id} counters={counters} onDone={onCanceled} />
      </div>
    </div>
  );
}

function LiveFailure({ live: { error } }: { live: Live }): Content {
  return error === undefined ? null : <Failure error={error} />;
}

function Facts({ notification, counters }: { notification: Notification; counters: Counters }): Content {
  const { id, created_at: createdAt, notification: submitted } = notification;
  const { due_at: dueAt, started_at: startedAt, ended_at: endedAt } = counters;
  return (
    <section class="card" aria-labelledby="facts-heading">
      <h2 id="facts-heading">Facts</h2>
      <dl class="facts">
        <dt>To</dt>
        <dd>
          <a href={targetAddress(notification)} dir="auto">
            {targetWords(notification)}
          </a>
        </dd>
        <dt>By</dt>
        <dd dir="auto">{makerWords(notification)}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        {dueAt !== createdAt && (
          <>
            <dt>Due</dt>
            <dd>
              <Time at={dueAt} />
            </dd>
          </>
        )}
        {startedAt !== null && (
          <>
            <dt>Started</dt>
            <dd>
              <Time at={startedAt} />
            </dd>
          </>
        )}
        {endedAt !== null && (
          <>
            <dt>Ended</dt>
            <dd>
              <Time at={endedAt} />
              {took(startedAt, endedAt)}
            </dd>
          </>
        )}
        {submitted.localized !== undefined && (
          <>
            <dt>Languages</dt>
            <dd>
              The default, <bdi>{listed(Object.keys(submitted.localized).map((tag) => languageName(tag)))}</bdi>
            </dd>
          </>
        )}
        {submitted.experiment !== undefined && (
          <>
            <dt>Experiment</dt>
            <dd>
              <code>{submitted.experiment}</code>
            </dd>
          </>
        )}
        {submitted.time_to_live !== undefined && (
          <>
            <dt>Time to live</dt>
            <dd>{formatDuration(submitted.time_to_live)}</dd>
          </>
        )}
        {submitted.max_recipients !== undefined && (
          <>
            <dt>At most</dt>
            <dd>{String(submitted.max_recipients)} devices</dd>
          </>
        )}
        <dt>Id</dt>
        <dd>
          <Id value={id} />
        </dd>
      </dl>
    </section>
  );
}

function took(startedAt: string | null, endedAt: string): Content {
  if (startedAt === null) return null;
  const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;
  return (
    <>
      {' '}
      <span class="muted">after {seconds < 1 ? 'less than a second' : formatDuration(seconds)}</span>
    </>
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
