/**
 * The waves of a notification: a time line with a mark per wave, whose height shows the number of devices, and a table.
 */
import { Badge, type Tone } from '../kit/badge.tsx';
import { formatDuration, formatNumber, formatTime, plural, zoneName } from '../kit/format.ts';
import type { Content } from '../kit/content.ts';
import { type Column, Table } from '../kit/table.tsx';
import { Time } from '../kit/time.tsx';
import type { PlannedWave, Wave as SentWave } from '../replies.ts';

/** One of a notification that is planned only once its time has come has no state yet. */
export type Wave = PlannedWave & Partial<Pick<SentWave, 'state'>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Space at both ends of the bar, as a share of its length. */
const MARGIN = 0.04;
const TICKS_MAX = 5;
/** Hours between two times below the bar. */
const TICK_HOURS = [0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 168] as const;
/** At most this many time zones are named; the others are only counted. */
const ZONES_SHOWN = 3;
/**
 * A label beyond this share of the bar does not fit to the right of its tick: on a phone (`waves.css`), and on any
 * screen.
 */
const LAST_TICK_ON_PHONE = 0.8;
const LAST_TICK_TO_THE_RIGHT = 0.87;

const words: Readonly<Record<NonNullable<Wave['state']>, string>> = {
  planned: 'planned',
  waiting: 'waiting',
  sending: 'sending',
  done: 'done',
  canceled: 'canceled',
};
const tones: Readonly<Record<NonNullable<Wave['state']>, Tone>> = {
  planned: 'neutral',
  waiting: 'neutral',
  sending: 'busy',
  done: 'good',
  canceled: 'warn',
};
const reasons: Readonly<Record<string, string>> = {
  no_time_zone: 'no time zone',
  local_time_past: 'the local time was already over',
  quiet_hours: 'quiet hours',
  held_too_long: 'quiet hours are longer than the time to live',
};

/** @param now the time to mark on the bar (Unix ms); undefined: none */
export function WaveCalendar({ waves, now }: { waves: readonly Wave[]; now?: number | undefined }): Content {
  const span = spanOf(waves);
  const most = Math.max(1, ...waves.map(({ devices }) => devices));
  const total = waves.reduce((sum, { devices }) => sum + devices, 0);
  const label = `${plural(waves.length, 'wave')} with ${plural(total, 'device')}. The same is in the table below.`;
  return (
    <figure class="waves">
      <div class="waves-bar" role="img" aria-label={label}>
        {waves.map((wave, index) => (
          <span
            key={index}
            class={`waves-mark ${lookOf(wave)}`}
            title={`${formatTime(wave.due_at)} ${zoneName(wave.due_at)}: ${plural(wave.devices, 'device')}`}
            style={{
              insetInlineStart: `${100 * shareOf(Date.parse(wave.due_at), span)}%`,
              inlineSize: `max(0.375rem, ${(100 * wave.spread_seconds * 1_000) / span.ms}%)`,
              blockSize: `max(0.375rem, ${100 * Math.sqrt(wave.devices / most)}%)`,
            }}
          />
        ))}
        {now !== undefined && now > span.from && now < span.from + span.ms && (
          <span class="waves-now" title="now" style={{ insetInlineStart: `${100 * shareOf(now, span)}%` }} />
        )}
      </div>
      <div class="waves-ticks" aria-hidden="true">
        {ticksOf(span).map((at) => (
          <span
            key={at}
            class={tickClass(shareOf(at, span))}
            style={{ insetInlineStart: `${100 * shareOf(at, span)}%` }}>
            {clockOf(at)}
          </span>
        ))}
      </div>
      <Table
        label="Waves"
        columns={waves.some(({ state }) => state !== undefined) ? withState : columns}
        rows={waves}
        keyOf={({ due_at: dueAt, action, reason }: Wave) => `${dueAt} ${action} ${reason ?? ''}`}
      />
    </figure>
  );
}

const columns: readonly Column<Wave>[] = [
  {
    title: 'Due',
    cell: (wave) => (
      <>
        <Time at={wave.due_at} />
        {spreadWords(wave)}
      </>
    ),
  },
  { title: 'Devices', align: 'end', cell: ({ devices }) => formatNumber(devices) },
  {
    title: 'Time zones',
    cell: (wave) => (
      <>
        <span title={wave.time_zones.join(', ')}>{zoneWords(wave)}</span>
        {ownHoursWords(wave)}
        {leftOutWords(wave)}
      </>
    ),
  },
];

/** Before it is planned, a wave has no state. */
const withState: readonly Column<Wave>[] = [
  ...columns,
  {
    title: 'State',
    cell: ({ state }) => state !== undefined && <Badge tone={tones[state]}>{words[state]}</Badge>,
  },
];

function ownHoursWords({ by_own_quiet_hours: count }: Wave): Content {
  return count > 0 && <div class="muted">{formatNumber(count)} in quiet hours of their own</div>;
}

function leftOutWords({ action, reason }: Wave): Content {
  if (action === 'send') return null;
  return <div class="muted">not sent: {reasons[reason ?? ''] ?? action}</div>;
}

function spreadWords({ spread_seconds: seconds }: Wave): Content {
  return seconds > 0 && <div class="muted">within {formatDuration(seconds)}</div>;
}

function zoneWords({ time_zones: zones, without_time_zone: without, devices }: Wave): string {
  const shown = zones.slice(0, ZONES_SHOWN).join(', ');
  const more = zones.length > ZONES_SHOWN ? ` and ${zones.length - ZONES_SHOWN} more` : '';
  if (zones.length === 0) return without === 0 ? 'all' : 'none that is known';
  return `${shown}${more}${without > 0 && without < devices ? `; ${formatNumber(without)} without one` : ''}`;
}

function lookOf({ action, state }: Wave): string {
  return action === 'send' ? (state ?? 'planned') : 'left-out';
}

interface Span {
  /** Unix ms. */
  from: number;
  ms: number;
}

/** The time from the first wave to the end of the last one, with some space. */
function spanOf(waves: readonly Wave[]): Span {
  const starts = waves.map(({ due_at: dueAt }) => Date.parse(dueAt));
  const ends = waves.map(({ spread_seconds: seconds }, index) => (starts[index] ?? 0) + seconds * 1_000);
  const first = Math.min(...starts);
  const length = Math.max(Math.max(...ends) - first, HOUR_MS);
  return { from: first - MARGIN * length, ms: length * (1 + 2 * MARGIN) };
}

function shareOf(at: number, { from, ms }: Span): number {
  return (at - from) / ms;
}

/** Full hours of the reader's clock, as many as fit below the bar. */
function ticksOf({ from, ms }: Span): number[] {
  const hours = TICK_HOURS.find((step) => ms / (step * HOUR_MS) <= TICKS_MAX) ?? 168;
  const step = hours * HOUR_MS;
  const offset = new Date(from).getTimezoneOffset() * MINUTE_MS;
  const first = Math.ceil((from - offset) / step) * step + offset;
  return Array.from({ length: TICKS_MAX + 1 }, (_, index) => first + index * step).filter(
    (at) => at < from + 0.97 * ms,
  );
}

function tickClass(share: number): string | undefined {
  if (share > LAST_TICK_TO_THE_RIGHT) return 'waves-tick-late waves-tick-last';
  return share > LAST_TICK_ON_PHONE ? 'waves-tick-late' : undefined;
}

function clockOf(at: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at);
}
