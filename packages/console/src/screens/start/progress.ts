/** How far an app is on the way to its first push, read again every two seconds while something is awaited. */
import { type ApiCall, call } from '../../frame/api.ts';
import { app, may } from '../../frame/session.ts';
import { type Resource, useResource, useWhileVisible } from '../../kit/states.tsx';
import type { ApiKey, AppRoute, Device, DevicePush } from '../../replies.ts';

const READ_EVERY_MS = 2_000;
/** States of a push that have no outcome yet. */
const UNDECIDED: ReadonlySet<string> = new Set(['waiting', 'sending']);
const LATELY_MS = 15 * 60_000;
export const LONG_AGO = '2000-01-01T00:00:00Z';

export interface Progress {
  hasApple: boolean;
  hasGoogle: boolean;
  /** Whether there is a key that only registers; false also for readers who may not see keys. */
  hasKey: boolean;
  /** The device that has registered last, of those that did since the first such key was made. */
  device: Device | undefined;
  /** The newest push to it that was due. */
  push: DevicePush | undefined;
}

/** A few devices that have registered since then. */
export function devicesSince(at: string): ApiCall {
  const filters = [{ name: 'registered_at', criteria: [{ gte: at }] }];
  return { method: 'POST', path: '/v6/audiences/sample', body: { filters } };
}

export function useProgress(): { progress: Resource<Progress>; reload: () => void } {
  const { state, reload, refresh } = useResource(readProgress, [app.value?.id]);
  const push = state.value.data?.push;
  useWhileVisible(push === undefined || UNDECIDED.has(push.state) ? READ_EVERY_MS : undefined, refresh);
  return { progress: state.value, reload };
}

async function readProgress(signal: AbortSignal): Promise<Progress> {
  const read = async <Reply>(path: string): Promise<Reply> => call<Reply>({ method: 'GET', path }, signal);
  const [
    {
      app: { routes },
    },
    { keys },
  ] = await Promise.all([
    read<{ app: { routes: readonly AppRoute[] } }>('/v6/app'),
    may('admin') ? read<{ keys: ApiKey[] }>('/v6/keys') : { keys: [] },
  ]);
  const ofPhones = keys.filter(({ scopes, revoked_at: end }) => end === null && scopes.join() === 'register');
  // A phone that registers again with another key is as it was, so the first key counts.
  const since = ofPhones.at(-1)?.created_at ?? LONG_AGO;
  // The reply has any ten of them, so those of the last minutes are asked for first.
  const lately = new Date(Date.now() - LATELY_MS).toISOString();
  let devices: readonly Device[] = [];
  for (const from of lately > since ? [lately, since] : [since]) {
    if (devices.length === 0) ({ devices } = await call<{ devices: Device[] }>(devicesSince(from), signal));
  }
  const [device] = devices.toSorted((one, other) => other.registered_at.localeCompare(one.registered_at));
  const pushes =
    device === undefined
      ? []
      : (await read<{ pushes: DevicePush[] }>(`/v6/devices/${device.id}/pushes`)).pushes;
  return {
    hasApple: routes.some((route) => route.route.startsWith('apns') && route.has_credentials),
    hasGoogle: routes.some((route) => route.route === 'fcm' && route.has_credentials),
    hasKey: ofPhones.length > 0,
    device,
    push: pushes.find(({ state }) => state !== 'planned' && state !== 'held'),
  };
}
