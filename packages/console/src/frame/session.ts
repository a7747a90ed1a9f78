/** The signed-in user, and the app that the address names. */
import { computed, signal } from '@preact/signals';
import { ApiFailure, call, setApp } from './api.ts';
import { addressOf, place, type Query } from './router.ts';

export type Role = 'viewer' | 'sender' | 'admin';

export interface App {
  id: string;
  bundle_id: string;
  name: string;
  role: Role;
}

export interface Session {
  user: {
    id: string;
    name: string;
    signs_in: 'password' | 'openid' | 'not_yet';
    /** `required`: the user has none, and no app before there is one. */
    second_factor: 'on' | 'off' | 'required';
  };
  apps: readonly App[];
  /** Why the user may not add an app; null if they may. */
  why_no_new_app: string | null;
  /** Whether this is the server of `carillon demo`. */
  is_demo: boolean;
  /** ISO 8601. */
  expires_at: string;
}

/** `undefined`: not known yet. `null`: nobody has signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** Why the session could not be read, unless nobody has signed in. */
export const sessionFailure = signal<ApiFailure | undefined>(undefined);

/** Reads the session of the cookie. */
export async function loadSession(): Promise<void> {
  try {
    session.value = await call<Session>({ method: 'GET', path: '/console/session' });
    sessionFailure.value = undefined;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.status === 401) session.value = null;
    else sessionFailure.value = error;
  }
}

const IN_APP = /^apps\/([^/]+)(?:\/(.*))?$/;

/** The bundle id of the address, and the rest of it. */
export const appPlace = computed(() => {
  const [, bundleId, rest = ''] = IN_APP.exec(place.value.path) ?? [];
  return bundleId === undefined ? undefined : { bundleId: decodeURIComponent(bundleId), rest };
});

/** The app of the address, if the user may see it. */
export const app = computed((): App | undefined => {
  const bundleId = appPlace.value?.bundleId;
  const found = session.value?.apps.find((one) => one.bundle_id === bundleId);
  setApp(found?.id);
  return found;
});

/** @returns the address of a screen of the present app: `appAddress('devices/' + id)` */
export function appAddress(path: string, query: Query = {}): string {
  return addressOf(`apps/${encodeURIComponent(app.value?.bundle_id ?? '')}/${path}`, query);
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, sender: 1, admin: 2 };

/** Whether the user has at least this role in the app. The server decides; this only greys out buttons. */
export function may(role: Role): boolean {
  return app.value !== undefined && RANK[app.value.role] >= RANK[role];
}
