/** The progress of a notification: counters, rate, time left, what limits it. */
import { formatDuration, formatNumber, plural } from '../../kit/format.ts';
import type { Content } from '../../kit/content.ts';
import { OutcomeBar } from '../../kit/outcome-bar.tsx';
import { Time } from '../../kit/time.tsx';
import { type Counters, isOver } from './notification.tsx';
import type { NotificationProgress } from '../../replies.ts';

/** @param props.progress the last event of the stream; undefined before the first */
export function ProgressCard({
  counters,
  progress,
  isLost,
}: {
  counters: Counters;
  progress: NotificationProgress | undefined;
  isLost: boolean;
}): Content {
  const shown = progress ?? counters;
  const done = shown.devices - shown.pending;
  return (
    <section class="card stack notifications-progress" aria-labelledby="progress-heading">
      <h2 id="progress-heading">
        <Headline counters={shown} />
      </h2>
      {shown.devices > 0 && <OutcomeBar counts={shown} legend />}
      {shown.state === 'sending' && (
        <dl class="figures">
          <Figure name="Done" value={`${formatNumber(done)} of ${formatNumber(shown.devices)}`} />
          <Figure name="Rate" value={rateWords(progress)} />
          <Figure name="Ready" value={<Ready progress={progress} />} />
        </dl>
      )}
      {progress?.limit !== null && progress?.limit !== undefined && (
        <p class="notifications-limit">
          <strong>What limits it:</strong> {progress.limit.sentence}
          {progress.limit.until !== null && (
            <>
              {' '}
              Until <Time at={progress.limit.until} />.
            </>
          )}
        </p>
      )}
      {shown.reason !== null && (
        <p class={shown.state === 'failed' ? 'notifications-bad' : 'notifications-note'} dir="auto">
          {sentence(shown.reason)}
        </p>
      )}
      {isLost && (
        <p class="notifications-note" role="status">
          The connection is lost
          {progress !== undefined && (
            <>
              ; these numbers are from <Time at={progress.at} />
            </>
          )}
          . Trying again …
        </p>
      )}
    </section>
  );
}

function Figure({ name, value }: { name: string; value: Content }): Content {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** The number that matters, if there is one, and what it counts. */
function Headline({ counters }: { counters: Counters }): Content {
  const { state, accepted, devices } = counters;
  const of = `of ${plural(devices, 'device')} accepted`;
  switch (state) {
    case 'scheduled':
      return 'Not started yet';
    case 'sending':
      return <Counted number={accepted} words={`${of} so far`} />;
    case 'sent':
      return devices === 0 ? 'Sent: the audience had no devices' : <Counted number={accepted} words={of} />;
    case 'canceled':
      return devices === 0 ? (
        'Canceled before it began'
      ) : (
        <Counted number={accepted} words={`${of} before it was canceled`} />
      );
    case 'failed':
      return 'Failed: no push was accepted';
    case 'validated':
      return (
        <Counted number={devices} words={`${devices === 1 ? 'device' : 'devices'} in a dry run: nothing was sent`} />
      );
  }
}

function Counted({ number, words }: { number: number; words: string }): Content {
  return (
    <>
      <span class="display">{formatNumber(number)}</span> {words}
    </>
  );
}

function rateWords(progress: NotificationProgress | undefined): string {
  const rate = progress?.per_second ?? null;
  return rate === null ? 'measuring …' : `${formatNumber(rate)} per second`;
}

/** The end as a time of the clock. */
function Ready({ progress }: { progress: NotificationProgress | undefined }): Content {
  if (progress === undefined || isOver(progress)) return '–';
  const seconds = progress.estimated_seconds_left;
  if (seconds === null) return progress.per_second === 0 ? 'not known while nothing is sent' : 'measuring …';
  const at = Date.parse(progress.at) + seconds * 1_000;
  return (
    <>
      <Time at={at} /> <span class="muted">in {formatDuration(seconds)}</span>
    </>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
