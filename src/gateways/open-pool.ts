/** Opens a pool of HTTP/2 sessions to a push gateway, and reports the client's events through `observe`. */
import { atTurnEnd } from '../scheduling/flush-order.ts';
import {
  describeFailure,
  type Http2Pool,
  openHttp2Pool,
  type PoolEvent,
  type PoolLimits,
  type Reserved,
  type TransportFailure,
  type Tunnel,
} from '@carillon/http2-client';
import type { Clock } from '../clock.ts';
import type { Observe } from '../observe.ts';
import { type ProxySettings, tunnelFor } from '../proxy/proxy-settings.ts';
import type { GatewayName } from '../route.ts';

/** How hosts are reached. */
export interface Connecting {
  /** Certificate authority (PEM) to trust in addition to the system's. */
  ca: string | undefined;
  /** Undefined: connections are direct. */
  proxy?: ProxySettings | undefined;
}

/** What every gateway is opened with. */
export interface GatewayOptions extends Connecting {
  /** Unsaved answers, which count as requests in flight; shared by all gateways that bulk notifications are sent through. */
  reserved?: Reserved | undefined;
  clock: Clock;
  observe: Observe;
}

interface GatewayPoolOptions extends Omit<GatewayOptions, 'clock'> {
  gateway: GatewayName;
  /** Scheme, host and port. */
  origin: string;
  /** Replaces the way through the proxy. */
  tunnel?: Tunnel | undefined;
  /** The most sessions at once; the default is the client's. */
  sessionsMax?: number;
  limits?: Partial<PoolLimits>;
}

/** An ambiguous push is sent once more: its `apns-id` and `_nid` are the same, so a tray shows it once. */
const REPEATS_IF_AMBIGUOUS = 1;

export function openGatewayPool(options: GatewayPoolOptions): Http2Pool {
  const { gateway, origin, ca, proxy, tunnel, reserved, sessionsMax, limits, observe } = options;
  return openHttp2Pool({
    origin,
    ca,
    tunnel: tunnel ?? tunnelFor(proxy, origin),
    reserved,
    ...(sessionsMax !== undefined && { sessionsMax }),
    repeatsIfAmbiguous: REPEATS_IF_AMBIGUOUS,
    ...limits,
    schedule: (task) => atTurnEnd('send', task),
    onEvent: observedAs(gateway, origin, observe),
  });
}

function observedAs(gateway: GatewayName, origin: string, observe: Observe): (event: PoolEvent) => void {
  const sent = { kind: 'push_request_sent', gateway } as const; // created once, because every push emits it
  return (event) => {
    switch (event.kind) {
      case 'request_sent':
        return observe(sent);
      case 'request_ended': {
        const { answer, durationMs } = event;
        return observe({ kind: 'push_request_ended', gateway, answer, durationMs });
      }
      case 'session_opened':
        return observe({ kind: 'session_opened', gateway, origin });
      case 'session_closed': {
        const reason = describeWithoutTokens(event.failure);
        return observe({ kind: 'session_closed', gateway, origin, reason, wasOpen: event.wasOpen });
      }
    }
  };
}

/** The pseudo-headers of requests to an address, without the path. */
export function targetOf(url: string, method = 'POST'): string[] {
  const { host, protocol } = new URL(url);
  return [':method', method, ':scheme', protocol.slice(0, -1), ':authority', host];
}

/** A GOAWAY may contain any text, so runs of characters as long as a push token are left out. */
export function describeWithoutTokens(failure: TransportFailure): string {
  const description = describeFailure(failure);
  return failure.reason === 'goaway' ? description.replaceAll(/[\w:-]{32,}/g, '…') : description;
}
