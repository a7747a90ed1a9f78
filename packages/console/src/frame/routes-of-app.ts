import { call } from './api.ts';
import type { AppRoute } from '../replies.ts';

export async function routesOfApp(aborted: AbortSignal): Promise<readonly AppRoute[]> {
  const { app } = await call<{ app: { routes: readonly AppRoute[] } }>(
    { method: 'GET', path: '/v6/app' },
    aborted,
  );
  return app.routes;
}
