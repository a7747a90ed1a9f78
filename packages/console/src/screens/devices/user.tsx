/** A user: the devices, and every push that names the user. */
import { call } from '../../frame/api.ts';
import { appAddress } from '../../frame/session.ts';
import { LinkButton } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { plural } from '../../kit/format.ts';
import { Empty, useResource, Waiting } from '../../kit/states.tsx';
import { FoundTable, lookUpCall, WayBack } from './look-up.tsx';
import { readUserPushes, UserPushes } from './pushes/timeline.tsx';
import type { FoundDevices } from '../../replies.ts';

export function OneUser({ params }: { params: { user_id: string } }) {
  const id = params.user_id;
  const { state, reload } = useResource(
    async (signal) => {
      const [found, pushes] = await Promise.all([
        call<FoundDevices>(lookUpCall(id), signal),
        readUserPushes(id, signal),
      ]);
      const devices = found.devices.filter(({ device }) => device.user_id === id);
      return { devices, more: found.more && devices.length === found.devices.length, pushes };
    },
    [id],
  );
  const { devices = [], more = false, pushes } = state.value.data ?? {};
  return (
    <div class="stack">
      <WayBack />
      <div class="screen-head">
        <h1>
          User <bdi>{id}</bdi>
        </h1>
        <Curl call={lookUpCall(id)} />
      </div>
      <Waiting of={state.value} retry={reload} what="Loading the user" />
      {pushes !== undefined && (
        <>
          <section class="stack" aria-labelledby="devices">
            <h2 id="devices">{more ? `The first ${devices.length} devices` : plural(devices.length, 'device')}</h2>
            {devices.length === 0 ? (
              <p class="muted">No device is registered with this user id, so pushes to it reach nobody.</p>
            ) : (
              <FoundTable devices={devices} columns="of one user" />
            )}
          </section>
          <UserPushes key={id} user={id} first={pushes} devices={devices} />
        </>
      )}
      {state.value.data !== undefined && pushes === undefined && (
        <Empty title="Nobody is known by this user id">
          <p>No device has it, and no notification names it. Upper and lower case matter.</p>
          <LinkButton label="Look it up" href={appAddress('devices', { q: id })} />
        </Empty>
      )}
    </div>
  );
}
