/** The waves of a notification that has not been planned yet: one that is being written, or is scheduled. */
import { Card } from '../kit/card.tsx';
import { useReply, Waiting } from '../kit/states.tsx';
import type { PlannedWaves as Planned } from '../replies.ts';
import { WaveCalendar } from './calendar.tsx';

/** Whether its devices may be due at different moments. */
export function hasMoments(notification: Readonly<Record<string, unknown>>): boolean {
  return ['deliver_at_local', 'spread_over', 'quiet_hours'].some((name) => notification[name] !== undefined);
}

export function PlannedWaves({ body }: { body: string }) {
  const read = useReply<Planned>({ method: 'POST', path: '/v6/notifications/waves', body });
  const { waves } = read.data ?? {};
  return (
    <Card title="When it is sent">
      <Waiting of={read} what="Counting the devices" />
      {waves?.length === 0 ? <p>Nobody would get it.</p> : waves && <WaveCalendar waves={waves} />}
    </Card>
  );
}
