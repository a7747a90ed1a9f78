/** What is stored of the routes of an app, beside its credentials. Delivery writes it (`delivery/routes/route-store.ts`). */
import { type RawBuilder, sql } from 'kysely';
import type { Route } from '../gateways/gateway.ts';

/**
 * Why nothing is sent on a route.
 * - `credentials`: credentials that worked before are refused. One push is tried every so often.
 * - `tokens`: an unlikely share of push tokens is refused. It waits for new credentials, or for an operator.
 */
export type PauseCause = 'credentials' | 'tokens';

export interface Pause {
  cause: PauseCause;
  /** A sentence: what was answered, and what to check. */
  reason: string;
  /** Unix ms. */
  sinceMs: number;
  /** When one push may be tried (Unix ms); null where none is. */
  probeAtMs: number | null;
}

/** A route with its present credentials. */
export interface StoredRouteState {
  route: Route;
  /** A push has been accepted. */
  isProven: boolean;
  pause: Pause | null;
  /** Until then dead tokens are retired however many they are (Unix ms); null: they are looked at. */
  unguardedUntilMs: number | null;
}

/** @param of the app and the version of its credentials: references or values. @returns a JSON array of them */
export function routeStatesJson(of: {
  appId: RawBuilder<unknown>;
  version: RawBuilder<unknown>;
}): RawBuilder<StoredRouteState[]> {
  return sql<StoredRouteState[]>`coalesce((
    select json_agg(json_build_object(
      'route', r.route,
      'isProven', r.proven_at is not null,
      'pause', case when r.pause is not null then json_build_object(
        'cause', r.pause, 'reason', r.pause_reason,
        'sinceMs', ${msOf('r.paused_at')}, 'probeAtMs', ${msOf('r.probe_at')}) end,
      'unguardedUntilMs', ${msOf('r.unguarded_until')}))
    from route_states as r where r.app_id = ${of.appId} and r.version = ${of.version}), '[]')`;
}

function msOf(column: string): RawBuilder<number | null> {
  return sql<number | null>`round(extract(epoch from ${sql.ref(column)}) * 1000)::bigint`;
}
