/**
 * Tells whether an app can send on each route: whether it has devices and credentials, and whether the route is paused.
 */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { findApp } from '../../apps/apps.ts';
import { credentialsByRoute, listCredentialVersions } from '../../apps/credentials/store.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError } from '../../api/errors.ts';
import { type Route, routes } from '../../route.ts';
import { timeText } from '../../api/reply.ts';
import { readRoutesOfDevices } from './readiness-store.ts';

const routeReply = z
  .strictObject({
    route: z.enum(routes),
    has_devices: z
      .boolean()
      .describe(
        'Whether the app has devices on this route. Found from a sample of a thousand devices, so a ' +
          'few among millions may be missed; on `apns_sandbox`, none are.',
      ),
    has_credentials: z.boolean(),
    is_proven: z.boolean().describe('Whether a push has been accepted with these credentials.'),
    pause: z
      .strictObject({ cause: z.enum(['credentials', 'tokens']), reason: z.string(), since: timeText })
      .meta({ id: 'RoutePause' })
      .nullable()
      .describe('Why nothing is sent on it at present.'),
  })
  .meta({ id: 'AppRoute' });

export const readinessOfAppReply = z
  .strictObject({
    app: z
      .strictObject({
        bundle_id: z.string(),
        name: z.string(),
        routes: z.array(routeReply).describe('One entry per route.'),
      })
      .meta({ id: 'AppFacts' }),
  })
  .meta({ id: 'App' });

/** Its cost does not grow with the number of devices. */
export async function readReadiness(
  db: Kysely<Database>,
  appId: string,
): Promise<z.infer<typeof readinessOfAppReply>> {
  const [app, versions, withDevices] = await Promise.all([
    findApp(db, appId),
    listCredentialVersions(db, appId),
    readRoutesOfDevices(db, appId),
  ]);
  if (app === undefined) throw new ApiError('not_found');
  const chosen = credentialsByRoute(versions);
  const ofRoute = (route: Route): z.infer<typeof routeReply> => {
    const state = chosen[route]?.routes.find((stored) => stored.route === route);
    const pause = state?.pause ?? null;
    return {
      route,
      has_devices: withDevices.has(route),
      has_credentials: chosen[route] !== undefined,
      is_proven: state?.isProven ?? false,
      pause: pause && {
        cause: pause.cause,
        reason: pause.reason,
        since: new Date(pause.sinceMs).toISOString(),
      },
    };
  };
  return { app: { bundle_id: app.bundleId, name: app.name, routes: routes.map(ofRoute) } };
}
