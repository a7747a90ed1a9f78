import { signal } from '@preact/signals';
import { call } from './api.ts';

/** A route to devices of the app, and whether the app can send on it. */
export interface RouteOfApp {
  route: 'apns_production' | 'apns_sandbox' | 'fcm';
  has_devices: boolean;
  has_credentials: boolean;
  pause: { reason: string } | null;
}

export async function routesOfApp(aborted: AbortSignal): Promise<readonly RouteOfApp[]> {
  const { app } = await call<{ app: { routes: readonly RouteOfApp[] } }>(
    { method: 'GET', path: '/v6/app' },
    aborted,
  );
  return app.routes;
}

/** Rises when the reader has changed credentials or a route: data that was read before is out of date. */
export const routesRound = signal(0);

export function noteRoutesChanged(): void {
  routesRound.value += 1;
}
