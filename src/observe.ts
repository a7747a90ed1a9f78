/**
 * Everything that can happen and that an operator may want to see, as one union. Rooms emit observations;
 * the log and the metrics decide what to keep. No observation may hold a push token, a key, payload text or
 * an e-mail address.
 */
import type { GatewayName, Route } from './gateways/gateway.ts';

/** What is told of one notification says which, and what brought it about. */
export interface OfNotification {
  notificationId: string;
  /** The id of the request that created it. */
  requestId: string;
}

/**
 * What ails the whole database: it cannot be reached, its connections are cut, its disk is full, it grants no more
 * connections.
 */
export type DatabaseCondition = 'unreachable' | 'terminated' | 'disk_full' | 'too_many_connections';

export type Observation =
  | { kind: 'server_listening'; url: string }
  | { kind: 'metrics_listening'; url: string }
  | { kind: 'draining'; signal: string }
  | { kind: 'stopped' }
  | { kind: 'database_started'; port: number; dataDir: string }
  /** With the notification where it was met in delivering one; with a condition where it is one of many in an outage. */
  | ({ kind: 'database_error'; condition?: DatabaseCondition; message: string } & Partial<OfNotification>)
  /** Once, until `database_back`. */
  | { kind: 'database_away'; condition: DatabaseCondition; message: string }
  | { kind: 'database_back'; condition: DatabaseCondition; durationMs: number; errors: number }
  /** At the start, once for each message. */
  | { kind: 'waiting_for_database'; message: string }
  | { kind: 'migrated'; migrations: readonly string[] }
  /** The database of addresses, at the start and whenever it has changed. */
  | { kind: 'geoip_loaded'; databaseType: string; builtAt: string }
  /** It has changed, and what is there now cannot be read: the one before it is kept. Told once for each message. */
  | { kind: 'geoip_unreadable'; message: string }
  /** A call has come by way of a proxy, and no proxy is trusted: told once. */
  | { kind: 'proxy_not_trusted' }
  | {
      kind: 'request_handled';
      requestId: string;
      method: string;
      route: string;
      status: number;
      durationMs: number;
    }
  /** What came on a connection was no request, or not in time; `reason` is Node's code for what is wrong with it. */
  | { kind: 'request_unreadable'; requestId: string; status: number; reason: string }
  | {
      kind: 'request_failed';
      requestId: string;
      method: string;
      route: string;
      error: Error;
      condition?: DatabaseCondition;
    }
  | ({ kind: 'notification_planned'; devices: number; slices: number; lane: string } & OfNotification)
  | ({ kind: 'notification_ended'; state: string; reason: string | null } & OfNotification)
  | ({ kind: 'slice_finished'; number: number; devices: number; durationMs: number } & OfNotification)
  | ({
      /** A slice's outcomes are in the counters: how far its notification has come, by all processes. */
      kind: 'slice_recorded';
      lane: string;
      state: string;
      devices: number;
      done: number;
      startedAt: Date | null;
    } & OfNotification)
  | ({
      /** At most once a second a notification, and once at its end. */
      kind: 'delivery_progress';
      lane: string;
      state: string;
      devices: number;
      done: number;
      percent: number;
      devicesPerSecond: number;
    } & OfNotification)
  | ({ kind: 'slice_handed_on'; number: number; unfinished: number; reason: string } & OfNotification)
  // At the rate of pushes, see `isAtPushRate`.
  | { kind: 'push_request_sent'; gateway: GatewayName }
  | {
      kind: 'push_request_ended';
      gateway: GatewayName;
      answer: 'answered' | 'never_sent' | 'ambiguous';
      /** From the opening of the stream to its end. */
      durationMs: number;
    }
  | ({ kind: 'push_settled'; gateway: GatewayName; outcome: string; reason: string | null } & OfNotification)
  | ({
      kind: 'push_retried';
      gateway: string;
      reason: string;
      /** A sentence, where there is more to say than the reason. */
      detail?: string | undefined;
      attempt: number;
    } & OfNotification)
  | ({
      kind: 'credentials_refused';
      gateway: GatewayName;
      route: Route;
      reason: string;
      /** A sentence, where there is more to say than the reason. */
      detail?: string | undefined;
    } & OfNotification)
  /** Once a pause, by whoever was first to see its cause. */
  | ({
      kind: 'route_paused';
      gateway: GatewayName;
      route: Route;
      cause: string;
      reason: string;
    } & OfNotification)
  /** By itself: the credentials are taken again. */
  | { kind: 'route_resumed'; gateway: GatewayName; route: Route }
  // A session is shared by all notifications of its app, so these two name none.
  | { kind: 'session_opened'; gateway: string; origin: string }
  /** `wasOpen`: false for one that was never opened: the attempt to connect failed. */
  | { kind: 'session_closed'; gateway: string; origin: string; reason: string; wasOpen: boolean }
  | ({ kind: 'job_failed'; job: string; error: Error; condition?: DatabaseCondition } & OfNotification)
  /** Redis answers, but not as it should. */
  | { kind: 'queue_error'; message: string }
  /** Redis cannot be asked, or takes no bells: once, until `queue_back`. */
  | { kind: 'queue_away'; message: string }
  | { kind: 'queue_back'; durationMs: number; errors: number }
  /** Spans are lost: said once, until the collector takes some again. */
  | { kind: 'tracing_error'; message: string }
  | { kind: 'worker_started'; queue: 'redis' | 'in-process' }
  /** `state` is that of the event afterwards: `waiting` is to be tried again, `failed` given up. */
  | {
      kind: 'webhook_attempted';
      webhookId: string;
      type: string;
      attempt: number;
      state: 'waiting' | 'delivered' | 'failed';
      status: number | null;
      error: string | null;
    }
  | { kind: 'pruned'; notifications: number; slices: number; opens: number }
  /** Audiences that were made on the fly, and that nobody had used for long, were deleted. */
  | { kind: 'audiences_expired'; audiences: number }
  /** Narrow rows of devices that came many at a time were moved to where counts find them by indexes. */
  | { kind: 'settled'; devices: number }
  /** Of a large app, so many devices' bitmaps were made or made anew. */
  | { kind: 'sealed'; devices: number };

/** What comes with every push: whoever hears of it must be quick. */
export type AtPushRate = Extract<
  Observation,
  { kind: 'push_request_sent' | 'push_request_ended' | 'push_settled' }
>;

export function isAtPushRate(observation: Observation): observation is AtPushRate {
  const { kind } = observation;
  return kind === 'push_settled' || kind === 'push_request_sent' || kind === 'push_request_ended';
}

export type Observe = (observation: Observation) => void;

export const observeNothing: Observe = () => undefined;
