/**
 * Turns what happens into log lines: one line an observation, its kind and fields beside a fixed sentence.
 * What an operator must act on is `error` or `warn`, what tells the story of the process is `info`, what comes
 * at the rate of requests, notifications or slices is `debug`, what comes at the rate of pushes is `trace`.
 */
import { type Level, levels, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from './config.ts';
import type { DatabaseCondition, Observation, Observe } from '../observe.ts';

export interface Log {
  log: Logger;
  observe: Observe;
  /** Writes out what is left. */
  close: () => Promise<void>;
}

/** How many causes of an error are told with it. */
const CAUSES_MAX = 3;

/** Opens the log on standard output, or on another destination that is handed in (and closed by others). */
export function createLog(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  destination = pino.destination({ dest: 1, sync: true }),
): Log {
  const prettify = prettyFactory({ ignore: 'pid,hostname,kind', singleLine: true });
  const prettyDestination = { write: (line: string) => destination.write(prettify(line)) };
  const log = pino(
    {
      level: logLevel,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: (error: unknown) => plainError(error, 0) },
    },
    logFormat === 'pretty' ? prettyDestination : destination,
  );
  return {
    log,
    observe: (observation) => {
      log[levelOf(observation)](observation, sentenceOf(observation));
    },
    close: async () => destination.flushSync(),
  };
}

const lines: Readonly<Record<Observation['kind'], readonly [Level, string]>> = {
  server_listening: ['info', 'listening'],
  metrics_listening: ['info', 'metrics are served'],
  draining: ['info', 'finishing what is under way'],
  stopped: ['info', 'stopped'],
  database_started: ['info', 'the embedded database runs'],
  waiting_for_database: ['warn', 'the database is not ready; trying again every second'],
  database_error: ['error', 'the database answered with an error'],
  database_away: ['error', 'the database is away'],
  database_back: ['info', 'the database is back'],
  migrated: ['info', 'the schema of the database was brought up to date'],
  geoip_loaded: ['info', 'registrations are located by the address of the caller'],
  geoip_unreadable: ['warn', 'GEOIP_DATABASE has changed and cannot be read; the one before it is kept'],
  proxy_not_trusted: [
    'warn',
    'calls come with X-Forwarded-For, which is ignored: all that come through one proxy share the limits of its address; set TRUST_PROXY to the addresses of your proxies',
  ],
  request_handled: ['debug', 'request handled'],
  request_failed: ['error', 'a request failed on our side'],
  request_unreadable: ['debug', 'a connection brought no request that can be read, and was closed'],
  notification_planned: ['debug', 'notification planned'],
  notification_ended: ['debug', 'notification ended'],
  slice_finished: ['debug', 'slice finished'],
  slice_recorded: ['debug', 'slice recorded'],
  delivery_progress: ['debug', 'progress of a notification'],
  slice_handed_on: ['info', 'slice handed on, to be finished later'],
  push_request_sent: ['trace', 'request sent to a gateway'],
  push_request_ended: ['trace', 'request to a gateway ended'],
  push_settled: ['trace', 'push settled'],
  push_retried: ['debug', 'push retried'],
  credentials_refused: ['error', 'a gateway refused the credentials of an app'],
  route_paused: ['error', 'sending is paused: what waits is kept for as long as its time to live'],
  route_resumed: ['info', 'sending goes on: the gateway takes the credentials again'],
  session_opened: ['info', 'session with a gateway opened'],
  session_closed: ['info', 'session with a gateway closed'],
  job_failed: ['error', 'a job failed; it will be done again'],
  queue_error: ['error', 'the queue has trouble with Redis'],
  queue_away: [
    'error',
    'Redis is away; until it is back, workers look for work in the database every second',
  ],
  queue_back: ['info', 'Redis is back'],
  tracing_error: ['warn', 'the collector takes no spans; they are lost'],
  worker_started: ['info', 'delivering'],
  webhook_attempted: ['debug', 'event sent to a webhook'],
  pruned: ['info', 'removed what is kept of old notifications by device'],
  audiences_expired: ['info', 'deleted audiences made on the fly that were not used for a long time'],
  settled: ['info', 'indexed imported devices for counting'],
  sealed: ['debug', 'built count bitmaps of a large app'],
};

/** What an operator is to know of an outage of the database. */
const outages: Readonly<Record<DatabaseCondition, readonly [begun: string, over: string]>> = {
  unreachable: ['the database cannot be reached; trying again', 'the database can be reached again'],
  terminated: [
    'the connections to the database were cut; connecting again',
    'the database is connected again',
  ],
  disk_full: [
    'the disk of the database is full; nothing more is begun until there is room',
    'the disk of the database has room again; delivery goes on',
  ],
  too_many_connections: [
    'the database grants no more connections (its max_connections); trying again',
    'the database grants connections again',
  ],
};

function sentenceOf(observation: Observation): string {
  if (observation.kind === 'database_away') return outages[observation.condition][0];
  if (observation.kind === 'database_back') return outages[observation.condition][1];
  const sentence = lines[observation.kind][1];
  if (observation.kind !== 'job_failed') return sentence;
  return `${sentence}: ${observation.error.message.replaceAll(/\s+/g, ' ')}`;
}

/** Whether a log of that level tells of any push by itself: `levelOf` puts none above debug. */
export function logsPushes(level: Config['logLevel']): boolean {
  return level === 'debug' || level === 'trace';
}

/** Whether a log of that level tells of it. */
export function isLogged(observation: Observation, level: Config['logLevel']): boolean {
  const { values } = levels;
  return (values[levelOf(observation)] ?? 0) >= (values[level] ?? Number.POSITIVE_INFINITY);
}

/** The level of the kind, but for the few of a frequent kind that an operator wants to see. */
function levelOf(observation: Observation): Level {
  if (observation.kind === 'request_handled' && observation.status >= 500) return 'warn';
  // One of many in an outage, which is told for itself.
  if (observation.kind === 'database_error' && observation.condition !== undefined) return 'debug';
  if (observation.kind === 'job_failed' && observation.condition !== undefined) return 'debug';
  if (observation.kind === 'notification_planned' && observation.lane === 'bulk') return 'info';
  if (observation.kind === 'delivery_progress' && observation.lane === 'bulk') return 'info';
  if (observation.kind === 'notification_ended' && observation.state === 'failed') return 'warn';
  if (observation.kind === 'push_settled' && isRefusal(observation.outcome)) return 'debug';
  if (observation.kind === 'webhook_attempted' && observation.state === 'failed') return 'warn';
  return lines[observation.kind][0];
}

/** What a gateway took, and what had no token to be sent to, comes at the rate of pushes; the rest has a reason. */
function isRefusal(outcome: string): boolean {
  return outcome !== 'accepted' && outcome !== 'no_token';
}

interface PlainError {
  type: string;
  message: string;
  stack: string | undefined;
  cause: PlainError | undefined;
}

/** Only what every error has: further properties (a query's values, a URL) may hold what no log may show. */
function plainError(error: unknown, depth: number): PlainError | undefined {
  if (!(error instanceof Error) || depth > CAUSES_MAX) return undefined;
  const { name, message, stack, cause } = error;
  return { type: name, message, stack, cause: plainError(cause, depth + 1) };
}
