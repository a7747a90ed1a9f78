/**
 * Every event that an operator may want to see, as one union. All parts of the program emit observations; the log and the
 * metrics decide which to keep. No observation may contain a push token, a key, payload text or an e-mail address.
 */
import type { GatewayName, Route } from './route.ts';

/** Fields of an observation about one notification. */
export interface OfNotification {
  notificationId: string;
  /** The id of the request that created it. */
  requestId: string;
}

/** For an error that repeats; set for the log alone (`process/log/repeated-errors.ts`). */
interface Repeats {
  /** A similar error was logged within the last minute. */
  isRepeat?: true;
  /** How many similar errors there were since the last one that was logged. */
  repeats?: number;
}

/** Conditions that affect the whole database: every statement fails while one lasts, or every statement of a kind. */
export type DatabaseCondition =
  | 'unreachable'
  | 'terminated'
  | 'disk_full'
  | 'out_of_memory'
  | 'too_many_connections'
  /** All connections of this process are in use, for longer than a statement waits for one. */
  | 'no_free_connection'
  /** Another transaction holds a lock for which statements wait. */
  | 'locked'
  | 'read_only'
  | 'permission_denied'
  | 'wrong_schema';

export type Observation =
  | { kind: 'server_listening'; url: string }
  | { kind: 'metrics_listening'; url: string }
  /** Only if the console has a port of its own. */
  | { kind: 'console_listening'; url: string }
  | { kind: 'draining'; signal: string }
  /** The next three are written to standard error: no log is open yet, it cannot be written, or it may hang. */
  | { kind: 'start_refused'; reason: string; exitCode: number }
  | { kind: 'log_unwritable'; code: string }
  | { kind: 'not_drained'; seconds: number; unsaved: number }
  | { kind: 'stopped' }
  | { kind: 'database_started'; port: number; dataDir: string }
  /** Has a notification if it occurred during its delivery, and a condition if it is part of an outage. */
  | ({ kind: 'database_error'; condition?: DatabaseCondition; message: string } & Repeats &
      Partial<OfNotification>)
  /** Emitted once, until `database_back`. */
  | { kind: 'database_away'; condition: DatabaseCondition; message: string }
  | { kind: 'database_back'; condition: DatabaseCondition; durationMs: number; errors: number }
  /** The read replica can no longer be used, or can be used again. */
  | { kind: 'replica_away'; message: string }
  | { kind: 'replica_used' }
  /** Emitted at the start, once per message. */
  | { kind: 'waiting_for_database'; message: string }
  | { kind: 'migrated'; migrations: readonly string[] }
  /**
   * Names of time zones that Node knows and Postgres does not. `renamed` names are stored under another name with the
   * same clock.
   */
  | { kind: 'time_zones_unknown'; renamed: number; missing: number; examples: readonly string[] }
  /** The GeoIP database was loaded, at the start or after a change of the file. */
  | { kind: 'geoip_loaded'; databaseType: string; builtAt: string }
  /** The changed file cannot be read, and the previous one stays in use. Emitted once per message. */
  | { kind: 'geoip_unreadable'; message: string }
  /** The log could not be written for a while; `lost` lines are missing. */
  | { kind: 'log_written_again'; lost: number }
  /** The limit on open files is low. Emitted at the start. */
  | { kind: 'few_descriptors'; limit: number; connectionsMax: number }
  /** The memory of the container, in bytes, is so small that the system may end the process. Emitted at the start. */
  | { kind: 'little_memory'; limit: number }
  /** No file can be opened and no connection made. Emitted once, until `descriptors_free`. `message` is Node's code. */
  | { kind: 'descriptors_used_up'; message: string }
  | { kind: 'descriptors_free'; durationMs: number }
  /**
   * The process has as many connections as it may have; `reason` is `limit`, or Node's code if one could not be accepted.
   * Emitted once, until `connections_free`.
   */
  | { kind: 'connections_full'; open: number; max: number; reason: string }
  | { kind: 'connections_free'; open: number; max: number }
  /** A request came through a proxy, but no proxy is trusted. Emitted once per process. */
  | { kind: 'proxy_not_trusted' }
  /** Someone could not sign in through the OpenID provider. `reason` has names and codes of errors only. */
  | { kind: 'openid_failed'; problem: string; reason: string }
  /** An attempt to get into the console; `result` is `signed_in`, or the code of the error. No name is in it. */
  | {
      kind: 'sign_in';
      requestId: string;
      address: string;
      by: 'password' | 'link' | 'openid';
      /** Null where nobody is known to have tried. */
      userId: string | null;
      result: string;
    }
  | {
      kind: 'request_handled';
      requestId: string;
      method: string;
      route: string;
      status: number;
      durationMs: number;
      /** Of a caller who got 401 or 403. */
      address?: string;
    }
  /** The notifications of a batch by result: stored, refused by a fault of the caller, failed by a failure of ours. */
  | { kind: 'batch_handled'; requestId: string; stored: number; refused: number; failed: number }
  /** A call of an app that names a user, where the app checks user tokens: `verified`, or why it is not. */
  | { kind: 'user_checked'; mode: 'report' | 'required'; result: string }
  /** Receipts of devices that were reported. */
  | { kind: 'receipts_stored'; stored: number; refused: number }
  /** Receipts by the result of counting (`results/receipts`). */
  | { kind: 'receipts_counted'; counted: number; repeated: number; ignored: number }
  /** A connection sent no valid request in time; `reason` is Node's error code. */
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
  /** A process has died twice while it sent to the device, or worked on the slice (null): that is given up. */
  | ({ kind: 'push_stopped_process'; number: number; deviceId: string | null } & OfNotification)
  | ({ kind: 'notification_ended'; state: string; reason: string | null } & OfNotification)
  /** A wave of a notification is due and has got its slices. */
  | ({ kind: 'wave_started'; wave: number; devices: number; slices: number; action: string } & OfNotification)
  | ({ kind: 'slice_finished'; number: number; devices: number; durationMs: number } & OfNotification)
  | ({
      /** Outcomes were added to the counters, which show the progress of the notification over all processes. */
      kind: 'slice_recorded';
      lane: string;
      state: string;
      devices: number;
      done: number;
      startedAt: Date | null;
    } & OfNotification)
  | ({
      /** Emitted at most once per second for each notification, and once at its end. */
      kind: 'delivery_progress';
      lane: string;
      state: string;
      devices: number;
      done: number;
      percent: number;
      devicesPerSecond: number;
    } & OfNotification)
  | ({ kind: 'slice_handed_on'; number: number; unfinished: number; reason: string } & OfNotification)
  // Emitted for every push, see `isAtPushRate`.
  | { kind: 'push_request_sent'; gateway: GatewayName }
  | {
      kind: 'push_request_ended';
      gateway: GatewayName;
      answer: 'answered' | 'never_sent' | 'ambiguous';
      /** From opening the stream to its end. */
      durationMs: number;
    }
  | ({
      kind: 'push_finished';
      gateway: GatewayName;
      /** Whether the device is an iPhone that is reached through Firebase. */
      isIphoneByFcm?: boolean;
      outcome: string;
      reason: string | null;
    } & OfNotification)
  | ({
      kind: 'push_retried';
      gateway: string;
      reason: string;
      /** A sentence that adds to the reason, if there is more to say. */
      detail?: string | undefined;
      attempt: number;
    } & OfNotification)
  /** Sums of `push_retried` by reason. Emitted at most once per minute for each gateway. */
  | { kind: 'pushes_retried'; gateway: string; pushes: number; reasons: Readonly<Record<string, number>> }
  | ({
      kind: 'credentials_refused';
      gateway: GatewayName;
      route: Route;
      reason: string;
      /** A sentence that adds to the reason, if there is more to say. */
      detail?: string | undefined;
    } & OfNotification)
  /** Emitted once per pause, by the process that stored it. */
  | ({
      kind: 'route_paused';
      gateway: GatewayName;
      route: Route;
      cause: string;
      reason: string;
    } & OfNotification)
  /** The credentials are accepted again: sending resumed without an operator. */
  | { kind: 'route_resumed'; gateway: GatewayName; route: Route }
  // All notifications of an app share a session, so these two have no notification.
  | { kind: 'session_opened'; gateway: string; origin: string }
  /** `wasOpen` is false if the attempt to connect failed. */
  | { kind: 'session_closed'; gateway: string; origin: string; reason: string; wasOpen: boolean }
  | ({ kind: 'job_failed'; job: string; error: Error; condition?: DatabaseCondition } & Repeats &
      OfNotification)
  /** Redis answered with an error. */
  | ({ kind: 'queue_error'; message: string } & Repeats)
  /** Redis is unreachable or accepts no jobs. Emitted once, until `queue_back`. */
  | { kind: 'queue_away'; message: string }
  | { kind: 'queue_back'; durationMs: number; errors: number }
  /** Spans are lost. Emitted once, until the collector accepts spans again. */
  | { kind: 'tracing_error'; message: string }
  | { kind: 'worker_started'; queue: 'redis' | 'in-process' }
  /** `state` is the state after the attempt: `waiting` will be retried, `failed` has been given up. */
  | {
      kind: 'webhook_attempted';
      webhookId: string;
      type: string;
      attempt: number;
      state: 'waiting' | 'delivered' | 'failed';
      status: number | null;
      error: string | null;
    }
  /** Apple's answer to a request about channels. */
  | {
      kind: 'channel_managed';
      action: 'create' | 'read' | 'list' | 'delete';
      result: 'done' | 'refused' | 'credentials_refused' | 'unavailable';
      reason: string | null;
    }
  /** `state` is the state after an attempt to bulk notification: `waiting` will be sent again. */
  | {
      kind: 'channel_broadcast';
      channelId: string;
      event: string;
      attempt: number;
      state: 'sent' | 'waiting' | 'replaced' | 'rejected' | 'expired';
      reason: string | null;
    }
  /** Channels that were no longer needed, or that an interrupted request had left at Apple, were deleted. */
  | { kind: 'channels_collected'; unneeded: number; leftOver: number }
  | {
      kind: 'pruned';
      notifications: number;
      slices: number;
      opens: number;
      receipts: number;
      uniqueIds: number;
    }
  /** Audiences made on the fly that had not been used for long were deleted. */
  | { kind: 'audiences_expired'; audiences: number }
  /** Targeting rows of imported devices have been indexed. */
  | { kind: 'deferred_rows_indexed'; devices: number }
  /** Count bitmaps of a large app have been built or rebuilt, for this many devices. */
  | { kind: 'bitmaps_built'; devices: number };

/** Observations that are emitted for every push: their observers must be fast. */
export type AtPushRate = Extract<
  Observation,
  { kind: 'push_request_sent' | 'push_request_ended' | 'push_finished' }
>;

export function isAtPushRate(observation: Observation): observation is AtPushRate {
  const { kind } = observation;
  return kind === 'push_finished' || kind === 'push_request_sent' || kind === 'push_request_ended';
}

export type Observe = (observation: Observation) => void;

export const observeNothing: Observe = () => undefined;
