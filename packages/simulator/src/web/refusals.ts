/** The reasons for which a push to a browser is refused, and the reply of each service to them. */
import { STATUS_CODES } from 'node:http';
import type { Reply } from '../listener.ts';
import type { WebService } from './subscriptions.ts';

const defaultStatus = {
  UnknownEndpoint: 404,
  Gone: 410,
  MethodNotAllowed: 405,
  MissingVapid: 401,
  BadVapid: 403,
  /** Signed by another application server than the one that the subscription is bound to. */
  VapidKeyMismatch: 403,
  /** The body is encrypted with the key pair that signs (RFC 8292, 3.2). */
  SharedKey: 400,
  BadTtl: 400,
  BadUrgency: 400,
  BadTopic: 400,
  BadContentEncoding: 400,
  BadCachePolicy: 400,
  PayloadTooLarge: 413,
} as const;
export type WebReason = keyof typeof defaultStatus;

export interface WebRefusal {
  reason: WebReason;
  message: string;
  /** Where it is not that of the service. */
  status?: number;
}

export function refuse(reason: WebReason, message: string): WebRefusal {
  return { reason, message };
}

/** The reply of a service. @param reason the service's own word or text, for an ordered answer */
type Form = (status: number, message: string, reason: WebReason | undefined) => Omit<Reply, 'status'>;

interface Manners {
  /** Statuses that differ from the default. */
  statuses: Partial<Record<WebReason, number>>;
  form: Form;
}

const text: Form = (_status, message) => ({
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `${message}\n`,
});

/** Of autopush's documented error numbers, those of the reasons and statuses here. */
const mozillaNumbers: Readonly<Partial<Record<WebReason | number, number>>> = {
  UnknownEndpoint: 102,
  Gone: 106,
  PayloadTooLarge: 104,
  MissingVapid: 109,
  BadVapid: 109,
  VapidKeyMismatch: 109,
  BadContentEncoding: 110,
  BadTtl: 111,
  BadTopic: 113,
  401: 109,
  404: 102,
  410: 106,
  413: 104,
  503: 201,
};

const appleReasons: Readonly<Partial<Record<WebReason, string>>> = {
  UnknownEndpoint: 'BadPath',
  Gone: 'Unregistered',
  MissingVapid: 'BadJwtToken',
  BadVapid: 'BadJwtToken',
  VapidKeyMismatch: 'VapidPkHashMismatch',
  BadTopic: 'BadWebPushTopic',
};

const google: Manners = { statuses: {}, form: text };
const mozilla: Manners = {
  statuses: { MissingVapid: 401, BadVapid: 401, VapidKeyMismatch: 401 },
  form: (status, message, reason) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      code: status,
      errno: mozillaNumbers[reason ?? status] ?? 999,
      error: STATUS_CODES[status] ?? '',
      message,
      more_info: 'http://autopush.readthedocs.io/en/latest/http.html#error-codes',
    }),
  }),
};

/** What is known of the services from their pages and from reports of what they answered; README.md has the sources. */
const mannersOf: Readonly<Record<WebService, Manners>> = {
  plain: google,
  google,
  mozilla,
  'mozilla-android': mozilla,
  apple: {
    statuses: { MissingVapid: 403, VapidKeyMismatch: 400 },
    form: (_status, message, reason) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: reason === undefined ? message : (appleReasons[reason] ?? reason) }),
    }),
  },
  windows: {
    statuses: { BadVapid: 401 },
    form: (_status, message) => ({
      headers: {
        'x-wns-error-description': message,
        'x-wns-status': 'dropped',
        'x-wns-notificationstatus': 'dropped',
      },
      body: '',
    }),
  },
};

export function refusalReply(service: WebService, { reason, message, status }: WebRefusal): Reply {
  const manners = mannersOf[service];
  const replied = status ?? manners.statuses[reason] ?? defaultStatus[reason];
  return { status: replied, ...manners.form(replied, message, reason) };
}

/** @param reason Apple's reason, or the message of another service */
export function orderedReply(service: WebService, status: number, reason: string | undefined): Reply {
  return { status, ...mannersOf[service].form(status, reason ?? `Ordered: HTTP ${status}`, undefined) };
}
