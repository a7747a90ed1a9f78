/**
 * Every metric that Carillon serves, with its name, labels and help text; `process_*` and `nodejs_*` come from the client
 * library. Counters and histograms count since the start of the process. No label may contain a push token, a key, payload
 * text, an e-mail address or an id: each has a small, fixed set of values.
 */
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

/** From the fastest answer of a nearby gateway to the timeout of 20 s. */
const ANSWER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** From a slice of one device to one that waits for retries. */
const SLICE_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type Catalogue = ReturnType<typeof makeMetrics>;

/** Creates the metrics and registers them. */
export function makeMetrics(registry: Registry) {
  const registers = [registry];
  return {
    // The API
    requests: new Histogram({
      name: 'carillon_http_request_duration_seconds',
      help: 'Duration of API requests, by method, route (the pattern, never the actual path) and status; its count is the number of requests.',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),

    batchNotifications: new Counter({
      name: 'carillon_batch_notifications_total',
      help: 'Notifications in batches, by result: stored, refused (a fault of the caller) or failed (a failure of Carillon).',
      labelNames: ['result'],
      registers,
    }),

    usersChecked: new Counter({
      name: 'carillon_users_checked_total',
      help: 'Calls of apps that name a user, where the app checks user tokens, by mode (report accepts them all, required refuses) and result: verified, or why the user is not.',
      labelNames: ['mode', 'result'],
      registers,
    }),

    // Receipts
    receipts: new Counter({
      name: 'carillon_receipts_total',
      help: 'Receipts that devices reported, by result: stored, or refused (not valid).',
      labelNames: ['result'],
      registers,
    }),
    receiptsCounted: new Counter({
      name: 'carillon_receipts_counted_total',
      help: 'Stored receipts that were counted, by result: counted (new), repeated (reported before) or ignored (the device was not asked or not sent to, or the notification does not exist).',
      labelNames: ['result'],
      registers,
    }),

    // Notifications
    notificationsPlanned: new Counter({
      name: 'carillon_notifications_planned_total',
      help: 'Notifications that were due and have been cut into slices, by lane: direct (a person waits for it) or bulk (it is for many devices).',
      labelNames: ['lane'],
      registers,
    }),
    notificationsEnded: new Counter({
      name: 'carillon_notifications_ended_total',
      help: 'Notifications that have ended, by final state: sent, failed, canceled or validated (a dry run).',
      labelNames: ['state'],
      registers,
    }),

    // Waiting work
    queueJobs: new Gauge({
      name: 'carillon_queue_jobs',
      help: 'Jobs waiting in the queue, by lane; no sample while the queue is unreachable. The same in every process that shares a Redis.',
      labelNames: ['lane'],
      registers,
    }),
    deliveryLag: new Gauge({
      name: 'carillon_delivery_lag_seconds',
      help: 'Age of the oldest unfinished work: the time since its slice, or its unplanned notification, became due. 0 when idle; no sample while the database is unreachable. The same in every process that shares a database.',
      registers,
    }),

    // Waves and slices
    waveLag: new Gauge({
      name: 'carillon_wave_lag_seconds',
      help: 'How late the oldest wave is that is due and has not started. 0 if none is late; no sample while the database is unreachable. The same in every process that shares a database.',
      registers,
    }),
    heldDevices: new Gauge({
      name: 'carillon_held_devices',
      help: 'Devices that wait for the moment of their wave (local time, quiet hours), in the next 20,000 waves; no sample while the database is unreachable. The same in every process that shares a database.',
      registers,
    }),
    wavesStarted: new Counter({
      name: 'carillon_waves_started_total',
      help: 'Waves of notifications that became due, by action: send, or drop and expire, which send nothing.',
      labelNames: ['action'],
      registers,
    }),
    slices: new Histogram({
      name: 'carillon_slice_duration_seconds',
      help: 'Time from leasing a slice (about 1,000 devices) to saving its outcomes, including waits for retries.',
      buckets: SLICE_SECONDS,
      registers,
    }),

    // Pushes
    pushes: new Counter({
      name: 'carillon_pushes_total',
      help: 'Devices with a final outcome, by gateway and outcome: accepted, rejected, unregistered (the token is dead), ambiguous (sent, the answer is not known), or nothing was sent: no_token, dropped (left out by the rules of the notification), expired (held for longer than the time to live) or capped (a frequency cap). With `platform="iOS"` at the gateway fcm: iPhones that are reached through Firebase. Rejections and devices that were left out carry the reason: the reason of the gateway if it is documented, or a code of Carillon.',
      labelNames: ['gateway', 'platform', 'outcome', 'reason'],
      registers,
    }),
    pushRetries: new Counter({
      name: 'carillon_push_retries_total',
      help: 'Pushes delayed for a retry, by gateway and the reason of the last attempt.',
      labelNames: ['gateway', 'reason'],
      registers,
    }),
    credentialsRefused: new Counter({
      name: 'carillon_credentials_refused_total',
      help: 'Refusals of credentials by a gateway; at most one per slice.',
      labelNames: ['gateway'],
      registers,
    }),

    routePauses: new Counter({
      name: 'carillon_route_pauses_total',
      help: 'Pauses of sending on a route (apns_production, apns_sandbox, fcm), by route and cause: credentials (they worked before and are now refused) or tokens (nearly all push tokens are reported dead). Counted once per pause, by one worker.',
      labelNames: ['route', 'cause'],
      registers,
    }),

    // Broadcast channels
    channelRequests: new Counter({
      name: 'carillon_channel_requests_total',
      help: 'Requests to Apple about broadcast channels, by action (create, read, list, delete) and result: done, refused, credentials_refused or unavailable.',
      labelNames: ['action', 'result'],
      registers,
    }),
    channelBroadcasts: new Counter({
      name: 'carillon_channel_broadcasts_total',
      help: 'Attempts to broadcast to a channel, by the state of the broadcast afterwards: sent, waiting (it is sent again), replaced (by a newer one), rejected or expired.',
      labelNames: ['state'],
      registers,
    }),

    // Connections to the gateways
    answers: new Histogram({
      name: 'carillon_gateway_answer_seconds',
      help: 'Time from opening a stream for a push to the answer of the gateway, by gateway; waiting for a free stream is not included.',
      labelNames: ['gateway'],
      buckets: ANSWER_SECONDS,
      registers,
    }),
    unanswered: new Counter({
      name: 'carillon_gateway_unanswered_total',
      help: 'Requests to a gateway that got no answer: never_sent (refused unprocessed and sent again at once) or ambiguous (sent, then the stream or the connection broke).',
      labelNames: ['gateway', 'answer'],
      registers,
    }),
    streams: new Gauge({
      name: 'carillon_gateway_streams',
      help: 'Streams (requests in flight) currently in use, by gateway.',
      labelNames: ['gateway'],
      registers,
    }),
    sessions: new Gauge({
      name: 'carillon_gateway_sessions',
      help: 'HTTP/2 sessions currently open, by gateway.',
      labelNames: ['gateway'],
      registers,
    }),
    sessionFailures: new Counter({
      name: 'carillon_gateway_session_failures_total',
      help: 'Attempts to open a session that failed, by gateway.',
      labelNames: ['gateway'],
      registers,
    }),

    // The database
    databaseConnections: new Gauge({
      name: 'carillon_database_connections',
      help: 'Database connections of this process, by state: in_use or idle.',
      labelNames: ['state'],
      registers,
    }),
    databaseWaiting: new Gauge({
      name: 'carillon_database_waiting',
      help: 'Queries of this process that wait for a free connection; a value that stays above 0 means that the pool is too small or the database too slow.',
      registers,
    }),
    replicaLag: new Gauge({
      name: 'carillon_replica_lag_seconds',
      help: 'Maximum age of the data of the read replica, as measured by this process; no sample while the replica is not used.',
      registers,
    }),
    prunedRows: new Counter({
      name: 'carillon_pruned_rows_total',
      help: 'Deleted rows of old notifications, by table: delivery_slices, opens, receipt_marks or apns_unique_ids.',
      labelNames: ['table'],
      registers,
    }),

    // Webhooks
    webhookAttempts: new Counter({
      name: 'carillon_webhook_attempts_total',
      help: 'Attempts to send an event to a webhook, by the state of the event afterwards: delivered, waiting (retried later) or failed (given up).',
      labelNames: ['state'],
      registers,
    }),

    // Troubles
    troubles: new Gauge({
      name: 'carillon_trouble',
      help: 'Whether a trouble of this code is in the list of this process (GET /v6/status), of the server or of any app: 1 or 0.',
      labelNames: ['code'],
      registers,
    }),

    // Errors
    errors: new Counter({
      name: 'carillon_errors_total',
      help: 'Errors of Carillon itself, by where they occurred: request, job, queue or database. The log has the details.',
      labelNames: ['where'],
      registers,
    }),
  };
}
