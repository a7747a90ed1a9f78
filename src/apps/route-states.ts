/** The stored states of an app's routes, read with its credentials. `delivery/routes/route-store.ts` writes them. */
import type { Route } from '../route.ts';

/**
 * The reason why sending on a route is paused.
 * - `credentials`: credentials that worked before are refused. One push is tried from time to time.
 * - `tokens`: an implausible share of push tokens is reported dead. The pause ends with new credentials, or when an
 *   operator resumes the route.
 */
export type PauseCause = 'credentials' | 'tokens';

export interface Pause {
  cause: PauseCause;
  /** A sentence with the gateway's answer and what to check. */
  reason: string;
  /** Unix ms. */
  sinceMs: number;
  /** When one push may be tried (Unix ms); null: never. */
  probeAtMs: number | null;
}

/** The state of a route with its current credentials. */
export interface StoredRouteState {
  route: Route;
  /** Whether a push of any process has been accepted on it. */
  isProven: boolean;
  pause: Pause | null;
  /** Until then (Unix ms), dead tokens are retired without checking their share; null: the share is checked. */
  unguardedUntilMs: number | null;
}

/**
 * @returns SQL: a JSON array of `StoredRouteState`, for the routes that use the row of `gateway_credentials` with this
 *   alias
 */
export function routeStatesJson(alias: string): string {
  return `coalesce((
    select json_agg(json_build_object(
      'route', r.route,
      'isProven', r.proven_at is not null,
      'pause', case when r.pause is not null then json_build_object(
        'cause', r.pause, 'reason', r.pause_reason,
        'sinceMs', ${msOf('r.paused_at')}, 'probeAtMs', ${msOf('r.probe_at')}) end,
      'unguardedUntilMs', ${msOf('r.unguarded_until')}))
    from route_states as r where r.app_id = ${alias}.app_id and r.version = ${alias}.version), '[]')`;
}

function msOf(column: string): string {
  return `round(extract(epoch from ${column}) * 1000)::bigint`;
}
