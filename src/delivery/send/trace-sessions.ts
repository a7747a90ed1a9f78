/**
 * Adds an event to the spans of slices when a session opens or closes. All pushes of an app share its sessions, so
 * every slice in progress gets the event.
 */
import type { Observe } from '../../observe.ts';
import { noSpan, type Span } from '../../tracing/span.ts';

/**
 * @param gateways the gateways that the slice sends through
 * @returns a function that stops following them
 */
export function traceSessions(
  gateways: Readonly<Record<string, { readonly followers: Set<Span> }>>,
  span: Span,
): () => void {
  if (span === noSpan) return followNone;
  const followers = Object.values(gateways).map((entry) => entry.followers);
  for (const spans of followers) spans.add(span);
  return () => {
    for (const spans of followers) spans.delete(span);
  };
}

function followNone(): void {}

/** @returns the observer of a gateway. It is called for every push, so it checks for two kinds only */
export function observeForFollowers(observe: Observe, followers: ReadonlySet<Span>): Observe {
  return (observation) => {
    observe(observation);
    if (followers.size === 0) return;
    if (observation.kind === 'session_opened') {
      const { gateway, origin } = observation;
      for (const span of followers) span.event('session opened', sessionAttributes(gateway, origin));
    } else if (observation.kind === 'session_closed') {
      const { gateway, origin, reason } = observation;
      const attributes = { ...sessionAttributes(gateway, origin), 'carillon.reason': reason };
      for (const span of followers) span.event('session closed', attributes);
    }
  };
}

function sessionAttributes(gateway: string, origin: string) {
  return { 'carillon.gateway': gateway, 'server.address': new URL(origin).host };
}
