import { signal } from '@preact/signals';
import { call } from './api.ts';
import type { AppRoute } from '../replies.ts';

export async function routesOfApp(aborted: AbortSignal): Promise<readonly AppRoute[]> {
  const { app } = await call<{ app: { routes: readonly AppRoute[] } }>(
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
