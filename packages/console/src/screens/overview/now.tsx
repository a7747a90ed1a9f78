/** What happens at this moment: what is being sent, what stands still and why, and what is due next. */
import { addressOf } from '../../frame/router.ts';
import { appAddress, may } from '../../frame/session.ts';
import { isMild, troubles } from '../../frame/troubles.ts';
import { formatDuration, formatNumber, plural } from '../../kit/format.ts';
import { Icon } from '../../kit/icon.tsx';
import { OutcomeBar } from '../../kit/outcome-bar.tsx';
import { TwoLines } from '../../kit/table.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Attention, DueList } from '../../replies.ts';
import { dueText } from '../notifications/calendar/days.ts';
import { audienceWords, isOver, type Notification, outcomesOf, titleOf } from '../notifications/notification.tsx';
import { useUpdates } from '../notifications/rows-in-progress.ts';

const DUE_SHOWN = 3;
const RATE_KNOWN_AFTER_SECONDS = 5;
/** The calendar goes as far. */
const DUE_DAYS = 60;

export function duePath(now = Date.now()): string {
  const to = new Date(now + DUE_DAYS * 86_400_000);
  return addressOf('/v6/notifications/due', { from: new Date(now).toISOString(), to: to.toISOString() });
}

/** @param props.sending those that were being sent at the last reading */
export function Now(props: { sending: readonly Notification[]; due: DueList; attention: readonly Attention[] }) {
  const { sending, due, attention } = props;
  const { present } = useUpdates(sending, undefined, {});
  const rows = sending.map((row) => present.get(row.id) ?? row).filter((row) => !isOver(row));
  return (
    <section class="stack" aria-labelledby="overview-now">
      <h2 id="overview-now">Now</h2>
      <div class="columns">
        <div class="stack">
          {rows.map((row) => (
            <Sending key={row.id} row={row} />
          ))}
          {rows.length === 0 && <p class="muted">Nothing is being sent.</p>}
          <Warnings attention={attention} />
        </div>
        <Next due={due} />
      </div>
    </section>
  );
}

function Sending({ row }: { row: Notification }) {
  const { id, devices, pending, started_at: startedAt, estimated_seconds_left: left } = row;
  const done = devices - pending;
  const seconds = (Date.now() - Date.parse(startedAt ?? row.created_at)) / 1_000;
  const ofIt = troubles.value?.find(({ notification_id: about }) => about === id);
  // The server knows no end while something holds pushes back.
  const isHeld = left === null && seconds > RATE_KNOWN_AFTER_SECONDS;
  const ofAll = troubles.value?.find((one) => !isMild(one) && !one.notification_id);
  const still = ofIt ?? (isHeld ? ofAll : undefined);
  return (
    <div class="stack close">
      <div class="screen-head">
        <a class="row-link" href={appAddress(`notifications/${id}`)} dir="auto">
          {titleOf(row)}
        </a>
        <span class="muted">
          {formatNumber(done)} of {plural(devices, 'device')}
        </span>
      </div>
      <OutcomeBar counts={outcomesOf(row)} />
      {still === undefined ? (
        <p class="muted">
          {left === null
            ? 'Its rate is not known yet.'
            : `${formatNumber(Math.round(done / seconds))} per second, about ${formatDuration(left)} left.`}
        </p>
      ) : (
        <p class="toned warn">
          {still === troubles.value?.[0] ? 'It stands still: see above.' : <bdi>{still.what}</bdi>}
        </p>
      )}
    </div>
  );
}

/** All that the status bar, which shows the worst trouble, does not say. */
function Warnings({ attention }: { attention: readonly Attention[] }) {
  const [worst, ...others] = troubles.value ?? [];
  // What went wrong within a day is no trouble of the server.
  const ofDay = attention.filter(({ code }) => code === 'pushes_rejected' || code === 'tokens_dead');
  const lines = [
    ...others.map(({ what, since, link }) => ({ what, since, path: mayOpen(link) ? link : undefined })),
    ...ofDay.map(({ message }) => ({ what: message, since: undefined, path: 'notifications' })),
  ];
  if (lines.length === 0) {
    if (troubles.value === undefined || worst !== undefined) return null;
    return (
      <p class="in-line toned good">
        <Icon name="check" />
        Nothing needs attention.
      </p>
    );
  }
  return (
    <ul class="lines" aria-label="Needs attention">
      {lines.map(({ what, since, path }) => (
        <li key={what}>
          <span>
            <span class="toned warn">
              <Icon name="warning" />
            </span>{' '}
            <bdi>{what}</bdi> {since !== undefined && ['Began ', <TimeAgo at={since} />, '.']}
          </span>
          {path !== undefined && <a href={appAddress(path)}>Open</a>}
        </li>
      ))}
    </ul>
  );
}

function mayOpen(link: string | null | undefined): link is string {
  return typeof link === 'string' && (may('admin') || !link.startsWith('settings/'));
}

function Next({ due: { due, single_count: singles } }: { due: DueList }) {
  const later = due.filter(({ at }) => Date.parse(at) > Date.now());
  return (
    <div class="stack close overview-next">
      <div class="screen-head">
        <h3>Due next</h3>
        <a href={appAddress('notifications/calendar')}>Calendar</a>
      </div>
      {later.length === 0 && <p class="muted">Nothing is scheduled for more than one device or user.</p>}
      <ul class="lines">
        {later.slice(0, DUE_SHOWN).map((entry) => (
          <li key={`${entry.notification_id} ${entry.at}`}>
            <a href={appAddress(`notifications/${entry.notification_id}`)}>
              <TwoLines name={dueText(entry)} text={audienceWords(entry.audience.name)} />
            </a>
            <span class="muted">
              <TimeAgo at={entry.at} />
            </span>
          </li>
        ))}
      </ul>
      {(later.length > DUE_SHOWN || singles > 0) && (
        <p class="muted">
          {later.length > DUE_SHOWN && `${formatNumber(later.length - DUE_SHOWN)} more. `}
          {singles > 0 && `${plural(singles, 'push', 'pushes')} to single devices or users.`}
        </p>
      )}
    </div>
  );
}
