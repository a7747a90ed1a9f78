/**
 * Reasons why a push was not accepted. If a gateway answered, the reason is the gateway's own word (`BadDeviceToken`),
 * or the HTTP status of an answer without one. Otherwise it is a code from a closed list, with a sentence for people.
 */
import { describeFailure, isTransportReason, type TransportReason } from '@carillon/http2-client';

const sentences = {
  no_credentials: 'the app has no credentials for the gateway and environment of this device',
  route_paused: 'sending was paused for longer than the time to live',
  expired: 'the time to live was over before the push could be sent',
  missing_attribute: 'the device has no value for a part of the template',
  held_out: 'the device is held out of the A/B test, as a comparison',
  replaced: 'a newer update of the Live Activity was sent instead',
  activity_ended: 'the Live Activity had been ended',
  stopped_the_process: 'a process died twice while it sent to the device, or read why the push was refused',
  not_saved: 'the push may have been sent, but its outcome could not be saved',
  not_possible:
    'the part of the notification with the device was given up after several attempts that failed',
  too_large: 'the push is larger than the push service of the device takes',
  subscription_gone: 'the browser has given up the subscription',
  subscription_unknown: 'the push service does not know the subscription',
  wrong_vapid_key: 'the push service refuses the VAPID key for this browser',
  nothing_to_show: 'a browser must show each push, and this one has no text',
  host_not_allowed:
    'the endpoint is on a host that is no push service, and that WEB_PUSH_HOSTS does not name',
  bad_keys: 'the keys of the subscription cannot be used',
  service_too_slow: 'the push service of the browser answers too slowly',
  access_token_refused: 'Google refused an access token',
  access_token_unavailable: 'no access token could be fetched from Google',
} as const;

export type OwnReason = keyof typeof sentences | TransportReason;

export function isOwnReason(reason: string): reason is OwnReason {
  return Object.hasOwn(sentences, reason) || isTransportReason(reason);
}

export function reasonSentence(reason: OwnReason): string {
  return isTransportReason(reason) ? describeFailure({ reason }) : sentences[reason];
}

/**
 * Apple's reasons of status 410, and ours of a push service's: the token was once valid for this topic and environment. So they do not
 * point to a wrong set-up.
 */
export const CONFIRMED_DEAD: ReadonlySet<string> = new Set([
  'Unregistered',
  'ExpiredToken',
  'subscription_gone' satisfies OwnReason,
]);

/**
 * Turns a stored reason into text for people: a code of ours becomes its sentence. A gateway's word stays as it is, and
 * so does a sentence that an earlier release stored.
 */
export function readableReason(reason: string): string {
  return isOwnReason(reason) ? reasonSentence(reason) : reason;
}

export type StatusReason = `HTTP ${number}`;

/** The reason of an answer that has no word for it, e.g. `HTTP 502` from a proxy. */
export function statusReason(status: number): StatusReason {
  return `HTTP ${status}`;
}
