/**
 * Turns observations into log lines: one line per observation, with its kind, its fields and a fixed sentence.
 * Levels: `error` and `warn` need an operator; `info` reports rare events of the process; `debug` has lines per request,
 * notification or slice; `trace` has lines per push.
 */
import { type DestinationStream, type Level, levels, type Logger, type LoggerOptions, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../config.ts';
import { openLogDestination } from './log-destination.ts';
import type { DatabaseCondition, Observation, Observe } from '../../observe.ts';

/** The maximum number of causes that are logged with an error. */
const CAUSES_MAX = 3;

const STANDARD_OUTPUT = 1;

/**
 * Logs to standard output, or to another file that the caller opens and closes.
 * @param onUnwritable called with Node's code when the log cannot be written
 */
export function createLog(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  onUnwritable: (code: string) => void,
  descriptor = STANDARD_OUTPUT,
) {
  const { stream: destination, flush } = openLogDestination(descriptor, {
    onFailed: onUnwritable,
    onWritten: (lost) => observe({ kind: 'log_written_again', lost }),
  });
  const prettify = prettyFactory({ ignore: 'pid,hostname,kind', singleLine: true });
  const prettyDestination = { write: (line: string) => destination.write(prettify(line)) };
  const log = openPino(logLevel, logFormat === 'pretty' ? prettyDestination : destination);
  const observe: Observe = (observation) => log[levelOf(observation)](observation, sentenceOf(observation));
  return { observe, close: async () => flush() };
}

/** The line of a JSON log for an observation; for use while there is no log. */
export function logLine(observation: Observation): string {
  const written: string[] = [];
  const log = openPino('trace', { write: (line) => written.push(line) });
  log[levelOf(observation)](observation, sentenceOf(observation));
  return written.join('');
}

function openPino(level: Config['logLevel'], destination: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: (error: unknown) => plainError(error, 0) },
  };
  return pino(options, destination);
}

const lines: Readonly<Record<Observation['kind'], readonly [Level, string]>> = {
  server_listening: ['info', 'listening'],
  metrics_listening: ['info', 'serving metrics'],
  console_listening: ['info', 'serving the console'],
  draining: ['info', 'shutting down: finishing the work in progress'],
  stopped: ['info', 'stopped'],
  start_refused: ['error', 'the server did not start'],
  log_unwritable: ['error', 'the log cannot be written; its lines wait in memory, up to 1 MiB'],
  not_drained: ['error', 'could not drain in time; exiting. Outcomes that are not saved will be sent again'],
  database_started: ['info', 'started the embedded database'],
  waiting_for_database: ['warn', 'the database is not ready; retrying every second'],
  database_error: ['error', 'the database returned an error'],
  database_away: ['error', 'the database is unavailable'],
  database_back: ['info', 'the database is available again'],
  replica_away: ['warn', 'the read replica is not used; its calls read the primary'],
  replica_used: ['info', 'the read replica is used'],
  migrated: ['info', 'migrated the database schema'],
  time_zones_unknown: [
    'warn',
    'Postgres does not know some names of time zones; install tzdata-legacy where it runs (docs/postgres.md)',
  ],
  geoip_loaded: ['info', 'loaded the GeoIP database'],
  geoip_unreadable: ['warn', 'could not read the changed GEOIP_DATABASE; the previous one stays in use'],
  log_written_again: ['warn', 'the log could not be written for a while'],
  few_descriptors: [
    'warn',
    'few open files are allowed; raise the limit (ulimit -n, LimitNOFILE, ulimits) to 4096 or more',
  ],
  little_memory: [
    'warn',
    'the container has little memory, so a bulk notification may get the process ended; allow 512 MiB or more',
  ],
  descriptors_used_up: [
    'error',
    'no more files or connections can be opened; raise the limit on open files (ulimit -n, LimitNOFILE, ulimits)',
  ],
  descriptors_free: ['info', 'files and connections can be opened again'],
  connections_full: ['warn', 'too many connections are open; further ones are refused with 503 or closed'],
  connections_free: ['info', 'connections are accepted again'],
  proxy_not_trusted: [
    'warn',
    'ignored X-Forwarded-For, so all clients behind one proxy share its rate limit; set TRUST_PROXY to the addresses of your proxies',
  ],
  openid_failed: ['warn', 'a sign-in through the OpenID provider failed'],
  sign_in: ['info', 'somebody tried to sign in to the console'],
  request_handled: ['debug', 'request handled'],
  batch_handled: ['debug', 'batch of notifications handled'],
  user_checked: ['debug', 'user of a device checked'],
  receipts_stored: ['debug', 'receipts stored'],
  receipts_counted: ['debug', 'receipts counted'],
  request_failed: ['error', 'internal error while handling a request'],
  request_unreadable: ['debug', 'closed a connection that sent no valid HTTP request'],
  notification_planned: ['debug', 'notification planned'],
  notification_ended: ['debug', 'notification ended'],
  push_stopped_process: ['error', 'gave up a push during which a process died twice'],
  wave_started: ['debug', 'a wave of a notification started'],
  slice_finished: ['debug', 'slice finished'],
  slice_recorded: ['debug', 'slice recorded'],
  delivery_progress: ['debug', 'notification progress'],
  slice_handed_on: ['info', 'released an unfinished slice; a worker will finish it later'],
  push_request_sent: ['trace', 'sent a request to a gateway'],
  push_request_ended: ['trace', 'a request to a gateway ended'],
  push_finished: ['trace', 'push finished'],
  push_retried: ['debug', 'push retried'],
  pushes_retried: ['info', 'a gateway could not take pushes; they are retried at growing intervals'],
  credentials_refused: ['error', 'a gateway refused the credentials of an app'],
  route_paused: ['error', 'paused sending on a route; waiting pushes are kept until their time to live ends'],
  route_resumed: ['info', 'resumed sending on a route'],
  session_opened: ['info', 'opened a session with a gateway'],
  session_closed: ['info', 'closed a session with a gateway'],
  job_failed: ['error', 'a job failed and will be retried'],
  queue_error: ['error', 'Redis queue error'],
  queue_away: ['error', 'Redis is unavailable; until it returns, workers poll the database every second'],
  queue_back: ['info', 'Redis is available again'],
  tracing_error: ['warn', 'the collector does not accept spans; they are dropped'],
  worker_started: ['info', 'worker started'],
  webhook_attempted: ['debug', 'sent an event to a webhook'],
  channel_managed: ['debug', 'asked Apple about channels'],
  channel_broadcast: ['debug', 'sent a broadcast to a channel'],
  channels_collected: ['info', 'deleted channels at Apple'],
  pruned: ['info', 'pruned per-device results of old notifications'],
  audiences_expired: ['info', 'deleted unused audiences made on the fly'],
  deferred_rows_indexed: ['info', 'indexed imported devices for counting'],
  bitmaps_built: ['debug', 'built count bitmaps of a large app'],
};

/** Sentences for the beginning and the end of a database outage. */
const outages: Readonly<Record<DatabaseCondition, readonly [begun: string, over: string]>> = {
  unreachable: ['the database is unreachable; retrying', 'the database is reachable again'],
  terminated: ['lost the connections to the database; reconnecting', 'reconnected to the database'],
  disk_full: [
    'the disk of the database is full; no new work starts until there is space',
    'the disk of the database has space again; delivery continues',
  ],
  out_of_memory: ['the database is out of memory; retrying', 'the database has memory again'],
  too_many_connections: [
    'the database refuses connections (max_connections reached); retrying',
    'the database accepts connections again',
  ],
  no_free_connection: [
    'all connections of this process to the database are in use, by statements that take long; retrying',
    'there are free connections to the database again',
  ],
  locked: ['the database is locked; statements wait', 'the lock in the database is gone'],
  read_only: [
    'the database accepts no writes (a standby, or default_transaction_read_only); retrying',
    'the database accepts writes again',
  ],
  permission_denied: [
    'the role of DATABASE_URL lacks a permission; retrying',
    'statements have their permissions again',
  ],
  wrong_schema: [
    'the schema of the database lacks something; run "carillon migrate" or "carillon doctor"; retrying',
    'the schema is complete again',
  ],
};

function sentenceOf(observation: Observation): string {
  if (observation.kind === 'database_away') return outages[observation.condition][0];
  if (observation.kind === 'database_back') return outages[observation.condition][1];
  const sentence = lines[observation.kind][1];
  if (observation.kind === 'start_refused') return `${sentence}: ${observation.reason}`;
  if (observation.kind !== 'job_failed') return sentence;
  return `${sentence}: ${observation.error.message.replaceAll(/\s+/g, ' ')}`;
}

/** Whether a log of this level has lines about single pushes; they have level `debug` or `trace`. */
export function logsPushes(level: Config['logLevel']): boolean {
  return level === 'debug' || level === 'trace';
}

/** Whether a log of this level has a line for the observation. */
export function isLogged(observation: Observation, level: Config['logLevel']): boolean {
  const { values } = levels;
  return (values[levelOf(observation)] ?? 0) >= (values[level] ?? Number.POSITIVE_INFINITY);
}

/** The level of the kind, except for the few observations of a frequent kind that an operator wants to see. */
function levelOf(observation: Observation): Level {
  if (observation.kind === 'request_handled' && observation.status >= 500) return 'warn';
  if (observation.kind === 'request_handled' && observation.address !== undefined) return 'info';
  if (observation.kind === 'sign_in' && observation.result !== 'signed_in') return 'warn';
  if (observation.kind === 'batch_handled' && observation.failed > 0) return 'warn';
  // An outage is logged once, as `database_away`; it causes many of these.
  if (observation.kind === 'database_error' && observation.condition !== undefined) return 'debug';
  if (observation.kind === 'job_failed' && observation.condition !== undefined) return 'debug';
  if ('isRepeat' in observation) return 'debug';
  if (observation.kind === 'notification_planned' && observation.lane === 'bulk') return 'info';
  if (observation.kind === 'delivery_progress' && observation.lane === 'bulk') return 'info';
  if (observation.kind === 'notification_ended' && observation.state === 'failed') return 'warn';
  if (observation.kind === 'push_finished' && isRefusal(observation.outcome)) return 'debug';
  if (observation.kind === 'webhook_attempted' && observation.state === 'failed') return 'warn';
  if (observation.kind === 'channel_broadcast' && observation.state === 'rejected') return 'warn';
  return lines[observation.kind][0];
}

/** Whether the outcome has a reason worth logging; `accepted` and `no_token` are routine. */
function isRefusal(outcome: string): boolean {
  return outcome !== 'accepted' && outcome !== 'no_token';
}

interface PlainError {
  type: string;
  message: string;
  stack: string | undefined;
  cause: PlainError | undefined;
}

/** Keeps only the properties that every error has: others (a query's values, a URL) may hold secrets. */
function plainError(error: unknown, depth: number): PlainError | undefined {
  if (!(error instanceof Error) || depth > CAUSES_MAX) return undefined;
  const { name, message, stack, cause } = error;
  return { type: name, message, stack, cause: plainError(cause, depth + 1) };
}
