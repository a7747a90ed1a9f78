/**
 * Tells the spans of slices what happens to the sessions that they push through. A session is shared by all that its
 * app sends, so one that opens or ends is an event of every slice under way at that moment.
 */
import type { Observe } from '../../observe.ts';
import { noSpan, type Span } from '../../tracing/span.ts';
import type { AppGateways } from './open-gateways.ts';

/** @returns what ends it */
export function followSessions(gateways: AppGateways, span: Span): () => void {
  const followers = Object.values(gateways).map((entry) => entry.followers);
  if (span !== noSpan) for (const spans of followers) spans.add(span);
  return () => {
    for (const spans of followers) spans.delete(span);
  };
}

/** @returns the observer for a gateway's own room; it is told of every push, and looks at two kinds */
export function tellFollowers(observe: Observe, followers: ReadonlySet<Span>): Observe {
  return (observation) => {
    observe(observation);
    if (followers.size === 0) return;
    if (observation.kind === 'session_opened') {
      const { gateway, origin } = observation;
      for (const span of followers) span.event('session opened', sessionOf(gateway, origin));
    } else if (observation.kind === 'session_closed') {
      const { gateway, origin, reason } = observation;
      const attributes = { ...sessionOf(gateway, origin), 'carillon.reason': reason };
      for (const span of followers) span.event('session closed', attributes);
    }
  };
}

function sessionOf(gateway: string, origin: string) {
  return { 'carillon.gateway': gateway, 'server.address': new URL(origin).host };
}
