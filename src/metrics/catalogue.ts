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
  const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ) => new Histogram({ name, help, labelNames, buckets, registers });
  return {
    // The API
    requests: histogram(
      'carillon_http_request_duration_seconds',
      'Duration of API requests, by method, route (the pattern, never the actual path) and status; its count is the number of requests.',
      REQUEST_SECONDS,
      ['method', 'route', 'status'],
    ),

    batchNotifications: counter(
      'carillon_batch_notifications_total',
      'Notifications in batches, by result: stored, refused (a fault of the caller) or failed (a failure of Carillon).',
      ['result'],
    ),

    usersChecked: counter(
      'carillon_users_checked_total',
      'Calls of apps that name a user, where the app checks user tokens, by mode (report accepts them all, required refuses) and result: verified, or why the user is not.',
      ['mode', 'result'],
    ),

    // Receipts
    receipts: counter(
      'carillon_receipts_total',
      'Receipts that devices reported, by result: stored, or refused (not valid).',
      ['result'],
    ),
    receiptsCounted: counter(
      'carillon_receipts_counted_total',
      'Stored receipts that were counted, by result: counted (new), repeated (reported before) or ignored (the device was not asked or not sent to, or the notification does not exist).',
      ['result'],
    ),

    // Notifications
    notificationsPlanned: counter(
      'carillon_notifications_planned_total',
      'Notifications that were due and have been cut into slices, by lane: direct (a person waits for it) or bulk (it is for many devices).',
      ['lane'],
    ),
    notificationsEnded: counter(
      'carillon_notifications_ended_total',
      'Notifications that have ended, by final state: sent, failed, canceled or validated (a dry run).',
      ['state'],
    ),

    // Waiting work
    queueJobs: gauge(
      'carillon_queue_jobs',
      'Jobs waiting in the queue, by lane; no sample while the queue is unreachable. The same in every process that shares a Redis.',
      ['lane'],
    ),
    deliveryLag: gauge(
      'carillon_delivery_lag_seconds',
      'Age of the oldest unfinished work: the time since its slice, or its unplanned notification, became due. 0 when idle; no sample while the database is unreachable. The same in every process that shares a database.',
    ),

    // Waves and slices
    waveLag: gauge(
      'carillon_wave_lag_seconds',
      'How late the oldest wave is that is due and has not started. 0 if none is late; no sample while the database is unreachable. The same in every process that shares a database.',
    ),
    heldDevices: gauge(
      'carillon_held_devices',
      'Devices that wait for the moment of their wave (local time, quiet hours), in the next 20,000 waves; no sample while the database is unreachable. The same in every process that shares a database.',
    ),
    wavesStarted: counter(
      'carillon_waves_started_total',
      'Waves of notifications that became due, by action: send, or drop and expire, which send nothing.',
      ['action'],
    ),
    slices: histogram(
      'carillon_slice_duration_seconds',
      'Time from leasing a slice (about 1,000 devices) to saving its outcomes, including waits for retries.',
      SLICE_SECONDS,
    ),

    // Pushes
    pushes: counter(
      'carillon_pushes_total',
      'Devices with a final outcome, by gateway and outcome: accepted, rejected, unregistered (the token is dead), ambiguous (sent, the answer is not known), or nothing was sent: no_token, dropped (left out by the rules of the notification), expired (held for longer than the time to live) or capped (a frequency cap). With `platform="iOS"` at the gateway fcm: iPhones that are reached through Firebase. Rejections and devices that were left out carry the reason: the reason of the gateway if it is documented, or a code of Carillon.',
      ['gateway', 'platform', 'outcome', 'reason'],
    ),
    pushRetries: counter(
      'carillon_push_retries_total',
      'Pushes delayed for a retry, by gateway and the reason of the last attempt.',
      ['gateway', 'reason'],
    ),
    credentialsRefused: counter(
      'carillon_credentials_refused_total',
      'Refusals of credentials by a gateway; at most one per slice.',
      ['gateway'],
    ),

    routePauses: counter(
      'carillon_route_pauses_total',
      'Pauses of sending on a route (apns_production, apns_sandbox, fcm), by route and cause: credentials (they worked before and are now refused) or tokens (nearly all push tokens are reported dead). Counted once per pause, by one worker.',
      ['route', 'cause'],
    ),

    // Broadcast channels
    channelRequests: counter(
      'carillon_channel_requests_total',
      'Requests to Apple about broadcast channels, by action (create, read, list, delete) and result: done, refused, credentials_refused or unavailable.',
      ['action', 'result'],
    ),
    channelBroadcasts: counter(
      'carillon_channel_broadcasts_total',
      'Attempts to broadcast to a channel, by the state of the broadcast afterwards: sent, waiting (it is sent again), replaced (by a newer one), rejected or expired.',
      ['state'],
    ),

    // Connections to the gateways
    answers: histogram(
      'carillon_gateway_answer_seconds',
      'Time from opening a stream for a push to the answer of the gateway, by gateway; waiting for a free stream is not included.',
      ANSWER_SECONDS,
      ['gateway'],
    ),
    unanswered: counter(
      'carillon_gateway_unanswered_total',
      'Requests to a gateway that got no answer: never_sent (refused unprocessed and sent again at once) or ambiguous (sent, then the stream or the connection broke).',
      ['gateway', 'answer'],
    ),
    streams: gauge('carillon_gateway_streams', 'Streams (requests in flight) currently in use, by gateway.', [
      'gateway',
    ]),
    sessions: gauge('carillon_gateway_sessions', 'HTTP/2 sessions currently open, by gateway.', ['gateway']),
    sessionFailures: counter(
      'carillon_gateway_session_failures_total',
      'Attempts to open a session that failed, by gateway.',
      ['gateway'],
    ),

    // The database
    databaseConnections: gauge(
      'carillon_database_connections',
      'Database connections of this process, by state: in_use or idle.',
      ['state'],
    ),
    databaseWaiting: gauge(
      'carillon_database_waiting',
      'Queries of this process that wait for a free connection; a value that stays above 0 means that the pool is too small or the database too slow.',
    ),
    replicaLag: gauge(
      'carillon_replica_lag_seconds',
      'Maximum age of the data of the read replica, as measured by this process; no sample while the replica is not used.',
    ),
    prunedRows: counter(
      'carillon_pruned_rows_total',
      'Deleted rows of old notifications, by table: delivery_slices, opens, receipt_marks or apns_unique_ids.',
      ['table'],
    ),

    // Webhooks
    webhookAttempts: counter(
      'carillon_webhook_attempts_total',
      'Attempts to send an event to a webhook, by the state of the event afterwards: delivered, waiting (retried later) or failed (given up).',
      ['state'],
    ),

    // Troubles
    troubles: gauge(
      'carillon_trouble',
      'Whether a trouble of this code is in the list of this process (GET /v6/status), of the server or of any app: 1 or 0.',
      ['code'],
    ),

    // Errors
    errors: counter(
      'carillon_errors_total',
      'Errors of Carillon itself, by where they occurred: request, job, queue or database. The log has the details.',
      ['where'],
    ),
  };
}
