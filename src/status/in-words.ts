/** Each trouble in words: what happens, what it means for pushes, and what to do first. */
import type { DatabaseCondition } from '../observe.ts';
import { gatewayOf, gatewayTitles, type Route, routeNames } from '../route.ts';
import { databaseWords } from './database-words.ts';
import type { Trouble, TroubleCode } from './trouble.ts';

/** A trouble as it was found. */
export interface Found {
  code: Exclude<TroubleCode, DatabaseCode>;
  /** Unix ms. */
  sinceMs: number;
  /** A gateway's word, or a sentence; null if there is no more to say. */
  reason: string | null;
  appId?: string;
  /** The bundle id of the app. */
  app?: string;
  route?: Route;
  count?: number;
  notificationId?: string;
  webhookId?: string;
  url?: string;
}

type DatabaseCode =
  'database_away' | 'database_locked' | 'database_read_only' | 'database_busy' | 'database_unusable';
type Words = Pick<Trouble, 'what' | 'effect' | 'remedy'> & { link?: string };

const ITS_DEVICES_WAIT = 'Its devices wait: each push is tried again until its time to live is over.';
const CREDENTIALS = 'settings/credentials';

const words: Readonly<Record<Found['code'], (found: Found) => Words>> = {
  disk_full: ({ reason }) => ({
    what: sentence(databaseWords.disk_full.what, reason),
    effect: databaseWords.disk_full.effect,
    remedy: asSentence(databaseWords.disk_full.remedy),
  }),
  no_worker: () => ({
    what: 'No worker is running.',
    effect: 'Calls are accepted, and nothing is sent.',
    remedy: 'Start a worker (ROLE=worker or all), and look at the log of the one that was there.',
  }),
  queue_away: () => ({
    what: 'Redis is away.',
    effect:
      'Pushes go on: workers look for them in the database every second, so a single push may wait a second longer. ' +
      'Each process counts its rate limits alone.',
    remedy: 'Check that Redis runs, takes writes and has memory, and that REDIS_URL names it.',
  }),
  outcomes_unsaved: ({ reason }) => ({
    what: sentence('Outcomes of pushes cannot be saved', reason),
    effect: 'They are kept in memory and saved later; sending slows down, and then stops.',
    remedy: 'Remove the cause that the database names; do not end the workers until they are saved.',
  }),
  leases_not_renewed: ({ reason }) => ({
    what: sentence('Workers cannot renew the leases of what they send', reason),
    effect: 'After ten seconds they stop sending it, and another worker goes on.',
    remedy: 'Remove the cause that the database names.',
  }),
  descriptors_used_up: ({ reason }) => ({
    what: sentence('A process can open no more files or connections', reason),
    effect: 'It accepts no calls and opens no connection; its pushes wait.',
    remedy: 'Raise the limit on open files: ulimit -n, LimitNOFILE of systemd, ulimits of Docker.',
  }),
  connections_full: ({ reason }) => ({
    what: sentence('A process has as many connections from callers as it may have', reason),
    effect: 'Further callers get 503; pushes are not affected.',
    remedy: 'Raise the limit on open files, or start more processes.',
  }),
  clock_apart: ({ reason }) => ({
    what: sentence('The clock of a server differs from the clock of the database', reason),
    effect:
      'Pushes leave by the clock of the database. Tokens for gateways have the time of the server, and may be refused.',
    remedy: 'Synchronise both with a time server (NTP).',
  }),
  replica_away: ({ reason }) => ({
    what: sentence('The read replica is not used', reason),
    effect: 'Everything is read from the primary; pushes are not affected.',
    remedy: 'Check that the replica runs and follows the primary.',
  }),
  gateway_silent: (found) => ({
    what:
      found.reason === null
        ? `${nameOf(found)} takes pushes and answers none of them.`
        : sentence(`${nameOf(found)} does not answer`, found.reason),
    effect: `${ITS_DEVICES_WAIT} A push that was taken and never answered ends as ambiguous.`,
    remedy:
      'Check the network from the workers to the gateway, and firewalls and proxies between (carillon doctor).',
  }),
  gateway_errors: (found) => ({
    what: `${nameOf(found)} answers every push with an error${inBrackets(found.reason)}.`,
    effect: ITS_DEVICES_WAIT,
    remedy: `Look at the status page of ${companyOf(found)}, and at proxies between; sending goes on by itself.`,
  }),
  credentials_refused: (found) => ({
    what: `${nameOf(found)} refuses the credentials of the app${inBrackets(found.reason)}.`,
    effect: 'Notifications to its devices fail.',
    remedy: 'Store the right credentials; carillon doctor says where each key is valid.',
    link: CREDENTIALS,
  }),
  route_paused: (found) => ({
    what: sentence(`Sending to ${nameOf(found)} is paused`, found.reason),
    effect: 'Its devices wait, until the time to live of their pushes is over.',
    remedy: 'Remove the cause, then resume it.',
    link: CREDENTIALS,
  }),
  quota_used_up: (found) => ({
    what: `The quota of ${companyOf(found)} for this project is used up${inBrackets(found.reason)}.`,
    effect: 'Its devices wait, and are sent to as the quota allows.',
    remedy: `Spread notifications over more time, lower FCM_PUSHES_PER_MINUTE to the quota, or ask ${companyOf(found)} for more.`,
  }),
  credentials_missing: (found) => ({
    what: `There are devices for ${nameOf(found)}, but no credentials.`,
    effect: 'They get no pushes.',
    remedy: 'Store credentials.',
    link: CREDENTIALS,
  }),
  notifications_troubled: ({ count = 1, reason }) => ({
    what: sentence(
      count === 1
        ? 'A notification cannot be planned or sent, and is tried again'
        : `${count} notifications cannot be planned or sent, and are tried again`,
      reason,
    ),
    effect: 'They end as failed if it lasts for half an hour; the others are not held up.',
    remedy: 'Remove the cause that the sentence names.',
    link: 'notifications',
  }),
  notifications_waiting: ({ count = 1 }) => ({
    what:
      count === 1
        ? 'A notification has been due for more than a minute, and no worker has begun it.'
        : `${count} notifications have been due for more than a minute, and no worker has begun them.`,
    effect: 'They are late.',
    remedy: 'Look at what the workers are busy with, and start more of them.',
    link: 'notifications',
  }),
  webhook_failing: ({ url = '', reason, webhookId = '' }) => ({
    what: sentence(`The webhook at ${hostOf(url)} does not accept its events`, reason),
    effect: 'Pushes are not affected; each event is sent again for a day.',
    remedy: 'Mend the receiver.',
    link: `settings/webhooks/${webhookId}`,
  }),
};

/** Conditions of the database have words of their own (`database-words.ts`). */
export function isFoundCode(code: string): code is Found['code'] {
  return Object.hasOwn(words, code);
}

export function inWords(found: Found): Trouble {
  return troubleOf(found, words[found.code](found));
}

function troubleOf(found: Omit<Found, 'code' | 'reason'> & Pick<Trouble, 'code'>, said: Words): Trouble {
  return {
    code: found.code,
    since: new Date(found.sinceMs).toISOString(),
    ...said,
    link: said.link ?? null,
    appId: found.appId ?? null,
    app: found.app ?? null,
    route: found.route ?? null,
    notification_id: found.notificationId ?? null,
    webhook_id: found.webhookId ?? null,
  };
}

export interface FoundOfDatabase {
  condition: DatabaseCondition;
  /** Unix ms. */
  sinceMs: number;
  /** The error, or the locks; no values of the data. */
  message: string | null;
}

export function databaseInWords({ condition, sinceMs, message }: FoundOfDatabase): Trouble {
  const { code, what, effect, remedy } = databaseWords[condition];
  const whole = sentence(what, condition === 'disk_full' ? null : message);
  return troubleOf({ code, sinceMs }, { what: whole, effect, remedy: asSentence(remedy) });
}

function nameOf({ route }: Found): string {
  return route === undefined ? 'The gateway' : routeNames[route];
}

function companyOf({ route }: Found): string {
  return route === undefined ? 'Apple' : gatewayTitles[gatewayOf(route)];
}

function inBrackets(reason: string | null): string {
  return reason === null ? '' : ` (${reason})`;
}

function sentence(begin: string, reason: string | null): string {
  const text = reason === null || reason === '' ? begin : `${begin}: ${reason}`;
  return text.endsWith('.') ? text : `${text}.`;
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an address that cannot be read';
}
