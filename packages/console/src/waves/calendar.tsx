/** The waves of a notification: when how many devices are due, with a bar for the number. */
import { Badge, type Tone } from '../kit/badge.tsx';
import { formatDuration, formatNumber } from '../kit/format.ts';
import { type Column, Table } from '../kit/table.tsx';
import { Time } from '../kit/time.tsx';
import type { PlannedWave, Wave as SentWave } from '../replies.ts';

/** One of a notification that is planned only once its time has come has no state yet. */
type Wave = PlannedWave & Partial<Pick<SentWave, 'state'>>;

const ZONES_SHOWN = 3;

const tones: Readonly<Record<SentWave['state'], Tone>> = {
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

export function WaveCalendar({ waves }: { waves: readonly Wave[] }) {
  const most = Math.max(1, ...waves.map(({ devices }) => devices));
  const state: Column<Wave> = {
    title: 'State',
    cell: (wave) =>
      wave.state && <Badge tone={tones[wave.state]}>{wave.state.charAt(0).toUpperCase() + wave.state.slice(1)}</Badge>,
  };
  return (
    <Table
      label="Waves"
      columns={[...columnsFor(most), ...(waves.some((wave) => wave.state !== undefined) ? [state] : [])]}
      rows={waves}
      keyOf={({ due_at: dueAt, action, reason }: Wave) => `${dueAt} ${action} ${reason ?? ''}`}
    />
  );
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
