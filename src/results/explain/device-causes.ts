/** The causes that lie in the device and its route, whatever the notification. */
import { explainReason } from '../../gateways/explain-reason.ts';
import { type Route, gatewayOf, gatewayTitles } from '../../route.ts';
import { REPLACED } from '../../devices/tokens/token-store.ts';
import { type Cause, cause } from './cause.ts';
import { mismatch } from './filter-words.ts';
import type { DeviceFacts, Facts } from './facts.ts';

export function ownerOf(route: Route): string {
  return gatewayTitles[gatewayOf(route)];
}

const ROUTE_NAMES: Readonly<Record<Route, string>> = {
  apns_production: 'Apple’s production',
  apns_sandbox: 'Apple’s sandbox',
  fcm: 'Google',
  web_push: 'Web Push',
};

/** Everything that would keep a push from leaving for the device now. */
export function obstacles({ device, erasedAt, filters }: Facts): Cause[] {
  if (device === undefined) return [missingDevice(erasedAt)];
  return [...outsideAudience(filters), ...withoutToken(device), ...routeObstacles(device)];
}

export function missingDevice(erasedAt: Date | undefined): Cause {
  if (erasedAt !== undefined) return cause('device_erased', 'The device was erased.', erasedAt);
  return cause('device_unknown', 'The app has no device with this id.');
}

export function outsideAudience(filters: Facts['filters']): Cause[] {
  const unmet = (filters ?? []).filter(({ matches }) => !matches);
  if (unmet.length === 0) return [];
  return [cause('not_in_audience', `The device is not in the audience. ${unmet.map(mismatch).join(' ')}`)];
}

export function withoutNamedToken(): Cause {
  return cause(
    'no_named_token',
    'The device has no push token now for this Live Activity, widget or push type: the app has registered none, or Apple has ' +
      'reported it dead.',
  );
}

/** Why the device has no push token; empty if it has one. */
function withoutToken({ token, development, hasNamedToken }: DeviceFacts): Cause[] {
  if (hasNamedToken === true) return [];
  if (hasNamedToken === false) return [withoutNamedToken()];
  if (token.state === 'live') return [];
  const none = cause('no_token', 'The device has no push token, so nothing can be sent to it.');
  return [none, ...lossOf(token, development)];
}

/** How the device lost its token, if it is known. */
export function lossOf({ state, route, retired }: DeviceFacts['token'], development: boolean): Cause[] {
  const lost = retired.find(({ reason }) => reason !== REPLACED);
  switch (state) {
    case 'live':
      return [];
    case 'none':
      return [
        cause(
          'token_moved',
          'Its token was registered by another device, or was lost so long ago that the reason is not kept.',
        ),
      ];
    case 'set_aside': {
      const remedy = development
        ? 'If it is not a development build, remove the flag'
        : 'If it is a development build, flag the device as development';
      return [
        cause(
          'token_set_aside',
          `${ROUTE_NAMES[route]} does not know its token (BadDeviceToken). ${remedy}, and it gets the token back.`,
          lost?.retired_at,
        ),
      ];
    }
    case 'retired':
      return [cause('token_retired', retirement(route, lost?.reason), lost?.retired_at)];
  }
}

function retirement(route: Route, reason: string | undefined): string {
  const owner = ownerOf(route);
  if (reason === undefined) return `${owner} reported its token dead.`;
  return `${owner} reported its token dead (${reason}). ${explainReason('unregistered', reason)}`;
}

export function routeObstacles({ token: { route }, hasCredentials, pause }: DeviceFacts): Cause[] {
  const name = ROUTE_NAMES[route];
  if (!hasCredentials) return [cause('no_credentials', `The app has no credentials for ${name}.`)];
  if (pause === null) return [];
  return [cause('route_paused', `Sending to ${name} is paused: ${pause.reason}.`, new Date(pause.sinceMs))];
}

export function disabledNotifications(device: DeviceFacts | undefined): Cause[] {
  if (device?.notifications_allowed !== 'Disabled') return [];
  return [
    cause(
      'notifications_disabled',
      'The app has reported that notifications are switched off on the device, so it shows none.',
    ),
  ];
}
