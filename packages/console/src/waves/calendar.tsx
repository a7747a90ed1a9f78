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

const STATE: Column<Wave> = {
  title: 'State',
  cell: ({ state }) => state && <Badge tone={tones[state]}>{state.charAt(0).toUpperCase() + state.slice(1)}</Badge>,
};

export function WaveCalendar({ waves }: { waves: readonly Wave[] }) {
  const most = Math.max(1, ...waves.map(({ devices }) => devices));
  const columns: Column<Wave>[] = [
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
        <div>
          {formatNumber(wave.devices)}
          <div class="bar" aria-hidden="true">
            <span style={{ flexGrow: wave.devices / most, background: colorOf(wave) }} />
          </div>
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
    ...(waves.some(({ state }) => state !== undefined) ? [STATE] : []),
  ];
  return (
    <Table
      label="Waves"
      columns={columns}
      rows={waves}
      keyOf={({ due_at: dueAt, action, reason }) => `${dueAt} ${action} ${reason ?? ''}`}
    />
  );
}

function colorOf({ action, state }: Wave): string {
  if (action !== 'send' || state === 'waiting') return 'var(--outcome-pending)';
  return state === 'done' ? 'var(--outcome-accepted)' : 'var(--accent)';
}

function zoneWords({ time_zones: zones, without_time_zone: without, devices }: Wave): string {
  const shown = zones.slice(0, ZONES_SHOWN).join(', ');
  const more = zones.length > ZONES_SHOWN ? ` and ${zones.length - ZONES_SHOWN} more` : '';
  if (zones.length === 0) return without === 0 ? 'All' : 'None that is known';
  return `${shown}${more}${without > 0 && without < devices ? `; ${formatNumber(without)} without one` : ''}`;
}
