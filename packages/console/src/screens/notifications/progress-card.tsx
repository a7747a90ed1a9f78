/** The progress of a notification: counters, rate, time left, what limits it. */
import { formatDuration, formatNumber, plural } from '../../kit/format.ts';
import { OutcomeBar } from '../../kit/outcome-bar.tsx';
import { Time, TimeAgo } from '../../kit/time.tsx';
import type { NotificationProgress } from '../../replies.ts';
import type { Live } from './live.ts';
import { type Counters, outcomesOf } from './notification.tsx';

/** @param props.counters of the last event of the stream; before the first, those that were read */
export function ProgressCard({ counters, live }: { counters: Counters; live: Live }) {
  const { progress, isLost } = live;
  const { state, devices, pending, reason } = counters;
  const { number, words } = headline(counters);
  const rate = progress?.per_second ?? null;
  const isPaused = progress?.limit?.code === 'route_paused';
  const figures = [
    ['Done', `${formatNumber(devices - pending)} of ${formatNumber(devices)}`],
    ['Rate', rate === null ? 'Measuring …' : `${formatNumber(rate)} per second`],
    ['Ready', <Ready progress={progress} />],
  ] as const;
  return (
    <section class="card stack" aria-labelledby="progress-heading">
      <h2 id="progress-heading">
        {number !== undefined && <span class="display">{formatNumber(number)}</span>} {words}
      </h2>
      {devices > 0 && <OutcomeBar counts={outcomesOf(counters)} legend />}
      {state === 'sending' && (
        <dl class="figures">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {progress && progress.limit !== null && (
        <p class={`note ${isPaused ? 'warn' : 'busy'}`}>
          <strong>What limits it:</strong> {progress.limit.sentence}
          {progress.limit.until !== null && [' Until ', <Time at={progress.limit.until} />, '.']}
        </p>
      )}
      {reason !== null && !isPaused && (
        <p class={`note ${state === 'failed' ? 'bad' : 'warn'}`} dir="auto">
          {sentence(reason)}
        </p>
      )}
      {isLost && (
        <p class="note warn" role="status">
          The connection is lost. Trying again …{' '}
          {progress && ['These numbers are from ', <TimeAgo at={progress.at} />, '.']}
        </p>
      )}
    </section>
  );
}

/** The number that matters, if there is one, and what it counts: those who could be reached, of whom it is a share. */
function headline({ state, accepted, devices, no_token: unreachable }: Counters): { number?: number; words: string } {
  const of = `of ${plural(devices - unreachable, 'reachable device')} accepted`;
  switch (state) {
    case 'scheduled':
      return { words: 'Not started yet' };
    case 'sending':
      return { number: accepted, words: `${of} so far` };
    case 'sent':
      return devices === 0 ? { words: 'Sent: the audience had no devices' } : { number: accepted, words: of };
    case 'canceled':
      return devices === 0
        ? { words: 'Canceled before it began' }
        : { number: accepted, words: `${of} before it was canceled` };
    case 'failed':
      return { words: 'Failed: no push was accepted' };
    case 'validated':
      return { number: devices, words: `${devices === 1 ? 'device' : 'devices'} in a dry run: nothing was sent` };
  }
}

function Ready({ progress }: { progress: NotificationProgress | undefined }) {
  const seconds = progress?.estimated_seconds_left ?? null;
  if (progress === undefined || seconds === null) {
    return progress?.per_second === 0 ? 'Not known while nothing is sent' : 'Measuring …';
  }
  return (
    <>
      In {formatDuration(seconds)}{' '}
      <span class="muted">
        <Time at={Date.parse(progress.at) + seconds * 1_000} />
      </span>
    </>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
