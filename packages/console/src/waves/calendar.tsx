/** The waves of a notification: when how many devices are due, with a bar for the number. */
import { Badge, type Tone } from '../kit/badge.tsx';
import type { Content } from '../kit/content.ts';
import { formatDuration, formatNumber } from '../kit/format.ts';
import { type Column, Table } from '../kit/table.tsx';
import { Time } from '../kit/time.tsx';
import type { PlannedWave, Wave as SentWave } from '../replies.ts';

/** One of a notification that is planned only once its time has come has no state yet. */
type Wave = PlannedWave & Partial<Pick<SentWave, 'state'>>;

/** At most this many time zones are named; the others are only counted. */
const ZONES_SHOWN = 3;

const states: Readonly<Record<SentWave['state'], { word: string; tone: Tone }>> = {
  planned: { word: 'Planned', tone: 'neutral' },
  waiting: { word: 'Waiting', tone: 'neutral' },
  sending: { word: 'Sending', tone: 'busy' },
  done: { word: 'Done', tone: 'good' },
  canceled: { word: 'Canceled', tone: 'warn' },
};
const reasons: Readonly<Record<string, string>> = {
  no_time_zone: 'no time zone',
  local_time_past: 'the local time was already over',
  quiet_hours: 'quiet hours',
  held_too_long: 'quiet hours are longer than the time to live',
};

export function WaveCalendar({ waves }: { waves: readonly Wave[] }): Content {
  const most = Math.max(1, ...waves.map(({ devices }) => devices));
  const state: Column<Wave> = { title: 'State', cell: (wave) => wave.state !== undefined && stateBadge(wave.state) };
  return (
    <Table
      label="Waves"
      columns={[...columnsFor(most), ...(waves.some((wave) => wave.state !== undefined) ? [state] : [])]}
      rows={waves}
      keyOf={({ due_at: dueAt, action, reason }: Wave) => `${dueAt} ${action} ${reason ?? ''}`}
    />
  );
}

function stateBadge(state: SentWave['state']): Content {
  const { word, tone } = states[state];
  return <Badge tone={tone}>{word}</Badge>;
}

function columnsFor(most: number): readonly Column<Wave>[] {
  return [
    {
      title: 'Due',
      cell: ({ due_at: at, spread_seconds: seconds }) => (
        <>
          <Time at={at} />
          {seconds > 0 && <div class="muted">within {formatDuration(seconds)}</div>}
        </>
      ),
    },
    {
      title: 'Devices',
      cell: (wave) => (
        <div class="waves-devices">
          {formatNumber(wave.devices)}
          <span class={wave.action === 'send' ? wave.state : 'left-out'} aria-hidden="true">
            <span style={{ inlineSize: `${(100 * wave.devices) / most}%` }} />
          </span>
        </div>
      ),
    },
    {
      title: 'Time zones',
      cell: (wave) => (
        <>
          <span title={wave.time_zones.join(', ')}>{zoneWords(wave)}</span>
          {wave.by_own_quiet_hours > 0 && (
            <div class="muted">{formatNumber(wave.by_own_quiet_hours)} in quiet hours of their own</div>
          )}
          {wave.action !== 'send' && <div class="muted">not sent: {reasons[wave.reason ?? ''] ?? wave.action}</div>}
        </>
      ),
    },
  ];
}

function zoneWords({ time_zones: zones, without_time_zone: without, devices }: Wave): string {
  const shown = zones.slice(0, ZONES_SHOWN).join(', ');
  const more = zones.length > ZONES_SHOWN ? ` and ${zones.length - ZONES_SHOWN} more` : '';
  if (zones.length === 0) return without === 0 ? 'All' : 'None that is known';
  return `${shown}${more}${without > 0 && without < devices ? `; ${formatNumber(without)} without one` : ''}`;
}
