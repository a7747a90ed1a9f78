/** The waves of a notification that has not been planned yet: one that is being written, or is scheduled. */
import { type ApiCall, call } from '../frame/api.ts';
import { Curl } from '../kit/developer/curl.tsx';
import { useResource, Waiting } from '../kit/states.tsx';
import type { PlannedWaves } from '../replies.ts';
import { WaveCalendar } from './calendar.tsx';

/** Whether its devices may be due at different moments. */
export function hasMoments(notification: Readonly<Record<string, unknown>>): boolean {
  return ['deliver_at_local', 'spread_over', 'quiet_hours'].some((name) => notification[name] !== undefined);
}

export function PlannedWaves({ body }: { body: string }) {
  const request: ApiCall = { method: 'POST', path: '/v6/notifications/waves', body };
  const { state, reload } = useResource(async (signal) => call<PlannedWaves>(request, signal), [body]);
  const { data } = state.value;
  return (
    <section class="card" aria-labelledby="waves-heading">
      <div class="screen-head">
        <h2 id="waves-heading">When it is sent</h2>
        <Curl call={request} />
      </div>
      <Waiting of={state.value} retry={reload} what="Counting the devices" />
      {data !== undefined && data.waves.length > 0 && <WaveCalendar waves={data.waves} />}
      {data?.waves.length === 0 && <p>Nobody would get it.</p>}
    </section>
  );
}
