/** The pushes that name a user, with their state on each device; also of a user without a device. */
import { ApiFailure, type ApiCall, call } from '../../../frame/api.ts';
import { addressOf } from '../../../frame/router.ts';
import { appAddress } from '../../../frame/session.ts';
import { whyAddress } from './device-pushes.tsx';
import { queryKindOf } from '../query-kind.ts';
import { PushResult, Timeline } from './timeline.tsx';
import { nameOf, textOf } from '../words.ts';
import type { FoundDevice, UserPush, UserPushes as Page } from '../../../replies.ts';

/** @param user a user id, or an e-mail address, which is in no address */
function userPushesCall(user: string, cursor?: string): ApiCall {
  if (queryKindOf(user) === 'email') {
    return {
      method: 'POST',
      path: '/v6/users/pushes',
      body: { user_email: user, ...(cursor !== undefined && { cursor }) },
    };
  }
  return { method: 'GET', path: addressOf(`/v6/users/${encodeURIComponent(user)}/pushes`, { cursor }) };
}

/** @returns undefined for a user whom no device has and no notification names */
export async function readUserPushes(user: string, signal: AbortSignal): Promise<Page | undefined> {
  try {
    return await call<Page>(userPushesCall(user), signal);
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** @param props.first the newest page; `devices` those of the user, for their names */
export function UserPushes({ user, first, devices }: { user: string; first: Page; devices: readonly FoundDevice[] }) {
  const names = new Map(devices.map(({ device }) => [device.id, nameOf(device)]));
  return (
    <Timeline
      first={first}
      callFor={(cursor) => userPushesCall(user, cursor)}
      resultOf={(push: UserPush) => <Results push={push} names={names} />}
      none={<p class="muted">No notification names this user.</p>}
    />
  );
}

function Results({ push, names }: { push: UserPush; names: ReadonlyMap<string, string> }) {
  const about = textOf(push) ?? push.notification_id;
  if (push.devices.length === 0) return <PushResult result={push} about={about} />;
  // In each row in the same order.
  const order = [...names.keys()];
  const results = push.devices.toSorted((a, b) => order.indexOf(a.device_id) - order.indexOf(b.device_id));
  return results.map((one) => {
    const { device_id: id } = one;
    const name = names.get(id) ?? id.slice(0, 8);
    return (
      <PushResult key={id} result={one} why={whyAddress(id, push.notification_id)} about={`${about}, ${name}`}>
        <a href={appAddress(`devices/${id}`)}>
          <bdi>{name}</bdi>
        </a>
      </PushResult>
    );
  });
}
