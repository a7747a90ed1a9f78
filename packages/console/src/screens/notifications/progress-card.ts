/** The progress of a notification: counters, rate, time left, what limits it. */
import { formatDuration, formatNumber, plural } from '../../kit/format.ts';
import { html, type Content } from '../../kit/html.ts';
import { OutcomeBar } from '../../kit/outcome-bar.ts';
import { Time } from '../../kit/time.ts';
import { type Counters, isOver, type Progress } from './notification.ts';

/** @param props.progress the last event of the stream; undefined before the first */
export function ProgressCard({
  counters,
  progress,
  isLost,
}: {
  counters: Counters;
  progress: Progress | undefined;
  isLost: boolean;
}): Content {
  const shown = progress ?? counters;
  const done = shown.devices - shown.pending;
  return html`<section class="card stack notifications-progress" aria-labelledby="progress-heading">
    <h2 id="progress-heading">${headline(shown)}</h2>
    ${shown.devices > 0 && html`<${OutcomeBar} counts=${shown} legend />`}
    ${
      shown.state === 'sending' &&
      html`<dl class="figures">
        <${Figure} name="Done" value=${`${formatNumber(done)} of ${formatNumber(shown.devices)}`} />
        <${Figure} name="Rate" value=${rateWords(progress)} />
        <${Figure} name="Ready" value=${html`<${Ready} progress=${progress} />`} />
      </dl>`
    }
    ${
      progress?.limit !== null &&
      progress?.limit !== undefined &&
      html`<p class="notifications-limit">
        <strong>What limits it:</strong> ${progress.limit.sentence}
        ${progress.limit.until !== null && html` Until <${Time} at=${progress.limit.until} />.`}
      </p>`
    }
    ${shown.reason !== null && html`<p class=${shown.state === 'failed' ? 'notifications-bad' : 'notifications-note'} dir="auto">${sentence(shown.reason)}</p>`}
    ${
      isLost &&
      html`<p class="notifications-note" role="status">
        The connection is
        lost${progress !== undefined && html`; these numbers are from <${Time} at=${progress.at} />`}. Trying
        again …
      </p>`
    }
  </section>`;
}

function Figure({ name, value }: { name: string; value: Content }): Content {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function headline({ state, devices, pending }: Counters): string {
  switch (state) {
    case 'scheduled':
      return 'Not started yet';
    case 'sending':
      return `Being sent to ${plural(devices, 'device')}`;
    case 'sent':
      return devices === 0 ? 'Sent: the audience had no devices' : `Sent to ${plural(devices, 'device')}`;
    case 'canceled':
      return devices === 0
        ? 'Canceled before it began'
        : `Canceled: ${formatNumber(devices - pending)} of ${plural(devices, 'device')} were done`;
    case 'failed':
      return 'Failed: no push was accepted';
    case 'validated':
      return `Dry run: ${plural(devices, 'device')}, nothing was sent`;
  }
}

function rateWords(progress: Progress | undefined): string {
  const rate = progress?.per_second ?? null;
  return rate === null ? 'measuring …' : `${formatNumber(rate)} per second`;
}

/** The end as a time of the clock. */
function Ready({ progress }: { progress: Progress | undefined }): Content {
  if (progress === undefined || isOver(progress)) return '–';
  const seconds = progress.estimated_seconds_left;
  if (seconds === null) return progress.per_second === 0 ? 'not known while nothing is sent' : 'measuring …';
  const at = Date.parse(progress.at) + seconds * 1_000;
  return html`<${Time} at=${at} />${' '}<span class="muted">in ${formatDuration(seconds)}</span>`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
