/**
 * Every metric that Carillon serves beside those of its process (`process_*` and `nodejs_*`, which are
 * the client's own): its name, its labels and what it measures. Counters and histograms count what this
 * process did since it started. No label may hold a push token, a key, payload text, an e-mail address or an
 * id: each has a small, fixed set of values.
 */
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

/** From a gateway next door to its time-out of 20 s. */
const ANSWER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** From a slice of one device to one whose gateway lets it wait. */
const SLICE_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type Catalogue = ReturnType<typeof makeMetrics>;

/** Makes the metrics and puts them into the registry. */
export function makeMetrics(registry: Registry) {
  const registers = [registry];
  return {
    // The API
    requests: new Histogram({
      name: 'carillon_http_request_duration_seconds',
      help: 'Time from a request of the API to its reply, by method, route (its pattern, never the address) and status. Its count is the number of requests.',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),

    // Notifications
    notificationsPlanned: new Counter({
      name: 'carillon_notifications_planned_total',
      help: 'Notifications that were due and have been cut into slices, by lane: direct (somebody waits for it) or bulk (a broadcast).',
      labelNames: ['lane'],
      registers,
    }),
    notificationsEnded: new Counter({
      name: 'carillon_notifications_ended_total',
      help: 'Notifications that have ended, by their last state: sent, failed, canceled or validated (a dry run).',
      labelNames: ['state'],
      registers,
    }),

    // Work that waits
    queueJobs: new Gauge({
      name: 'carillon_queue_jobs',
      help: 'Jobs waiting in the queue, by lane; without a sample while the queue cannot be asked. The same in every process on one Redis.',
      labelNames: ['lane'],
      registers,
    }),
    deliveryLag: new Gauge({
      name: 'carillon_delivery_lag_seconds',
      help: 'For how long the oldest unfinished slice of all notifications could have been started (or the oldest due notification planned); 0 where nothing is left to do, without a sample while the database cannot be asked. The same in every process on one database.',
      registers,
    }),

    // Slices
    slices: new Histogram({
      name: 'carillon_slice_duration_seconds',
      help: 'Time from leasing a slice (about 1,000 devices) to its outcomes being stored, retries in place included.',
      buckets: SLICE_SECONDS,
      registers,
    }),

    // Pushes
    pushes: new Counter({
      name: 'carillon_pushes_total',
      help: 'Devices whose push is settled, by gateway and outcome: accepted, rejected, unregistered (the token is dead), ambiguous (written, never answered) or no_token (nothing was sent). A no has its reason in the words of the gateway, as far as it is a documented one.',
      labelNames: ['gateway', 'outcome', 'reason'],
      registers,
    }),
    pushRetries: new Counter({
      name: 'carillon_push_retries_total',
      help: 'Pushes put off to be tried again, by gateway and the reason of the try before.',
      labelNames: ['gateway', 'reason'],
      registers,
    }),
    credentialsRefused: new Counter({
      name: 'carillon_credentials_refused_total',
      help: 'How often a gateway has refused the credentials of an app, at most once a slice.',
      labelNames: ['gateway'],
      registers,
    }),

    routePauses: new Counter({
      name: 'carillon_route_pauses_total',
      help: 'How often sending on a route (apns_production, apns_sandbox, fcm) was paused, by route and cause: credentials (ones that worked before are refused) or tokens (nearly all push tokens are). Counted once a pause, by one worker.',
      labelNames: ['route', 'cause'],
      registers,
    }),

    // Connections to the gateways
    answers: new Histogram({
      name: 'carillon_gateway_answer_seconds',
      help: 'Time from the opening of a stream for a push to the answer of the gateway, by gateway; waiting for a free stream is not in it.',
      labelNames: ['gateway'],
      buckets: ANSWER_SECONDS,
      registers,
    }),
    unanswered: new Counter({
      name: 'carillon_gateway_unanswered_total',
      help: 'Requests to a gateway that came back without an answer: never_sent (refused unprocessed, sent again at once) or ambiguous (written, and the stream or the connection broke).',
      labelNames: ['gateway', 'answer'],
      registers,
    }),
    streams: new Gauge({
      name: 'carillon_gateway_streams',
      help: 'Streams (requests in flight) in use now, by gateway.',
      labelNames: ['gateway'],
      registers,
    }),
    sessions: new Gauge({
      name: 'carillon_gateway_sessions',
      help: 'HTTP/2 sessions open now, by gateway.',
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
      help: 'Connections to the database that this process holds, by state: in_use or idle.',
      labelNames: ['state'],
      registers,
    }),
    databaseWaiting: new Gauge({
      name: 'carillon_database_waiting',
      help: 'Queries of this process that wait for a free connection; anything but 0 for long means that the pool is too small or the database too slow.',
      registers,
    }),
    prunedRows: new Counter({
      name: 'carillon_pruned_rows_total',
      help: 'Rows of old notifications that were removed, by table: delivery_slices or opens.',
      labelNames: ['table'],
      registers,
    }),

    // Webhooks
    webhookAttempts: new Counter({
      name: 'carillon_webhook_attempts_total',
      help: 'Attempts to send an event to a webhook, by the state of the event afterwards: delivered, waiting (tried again later) or failed (given up).',
      labelNames: ['state'],
      registers,
    }),

    // Faults of ours
    errors: new Counter({
      name: 'carillon_errors_total',
      help: 'What went wrong on our side, by where: request, job, queue or database. The log has the details.',
      labelNames: ['where'],
      registers,
    }),
  };
}
