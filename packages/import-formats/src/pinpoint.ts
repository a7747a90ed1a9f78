/**
 * Amazon Pinpoint: the files of an export job, JSON with one endpoint per line, compressed with gzip.
 *
 * The job: https://docs.aws.amazon.com/pinpoint/latest/developerguide/audience-define-export.html. Fields and their values:
 * the schema `EndpointResponse` in https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-endpoints-endpoint-id.html.
 * Pinpoint itself ended on 30 October 2026; files that were exported before can still be imported.
 */
import { draftOf, mapped, setCustom, takerOf } from './draft.ts';
import { type Fields, type Mapping, NO_TOKEN, otherChannel, type Service } from './service.ts';
import { fieldPath, isObject } from './values.ts';

const OTHER_CHANNELS: Readonly<Record<string, string>> = {
  EMAIL: 'e-mail',
  SMS: 'SMS',
  VOICE: 'voice',
  APNS_VOIP: 'VoIP',
  APNS_VOIP_SANDBOX: 'VoIP',
  ADM: 'Fire OS',
  BAIDU: 'Baidu',
  IN_APP: 'in-app',
  CUSTOM: 'custom channel',
};

export const pinpoint: Service = {
  title: 'Amazon Pinpoint',
  marks: ['ChannelType'],
  format: { pageStart: /(?!)/ }, // matches nothing: there are no pages
  map: mapEndpoint,
};

function mapEndpoint(fields: Fields): Mapping {
  const taker = takerOf(fields);
  const channel = taker.text('ChannelType') ?? '';
  const isIos = channel === 'APNS' || channel === 'APNS_SANDBOX';
  if (!isIos && channel !== 'GCM') return otherChannel(OTHER_CHANNELS[channel] ?? 'an unknown ChannelType');
  const pushToken = taker.text('Address');
  if (pushToken === undefined) return { leftOut: NO_TOKEN };
  if (taker.text('EndpointStatus') === 'INACTIVE')
    return { leftOut: 'Pinpoint sent nothing to it (EndpointStatus)' };

  const demographic = taker.object('Demographic');
  const location = taker.object('Location');
  const user = taker.object('User');
  const draft = draftOf(isIos || isIphone(fields) ? 'iOS' : 'Android', pushToken, !isIos);
  Object.assign(draft.attributes, {
    development: isIos ? channel === 'APNS_SANDBOX' : undefined,
    notifications_allowed: permissionOf(taker.text('OptOut')),
    user_id: user.text('UserId'),
    app_version: demographic.text('AppVersion'),
    os_version: demographic.text('PlatformVersion'),
    marketing_name: demographic.text('Model'),
    locale: demographic.text('Locale'),
    time_zone: demographic.text('Timezone'),
    country: location.text('Country'),
    location: placeOf(location.any('Latitude'), location.any('Longitude')),
  });
  // Attributes are lists of texts, and metrics numbers. Those of the endpoint come first: the device is the endpoint.
  for (const [path, taken] of [
    ['Attributes', taker.object('Attributes')],
    ['Metrics', taker.object('Metrics')],
    ['User.UserAttributes', user.object('UserAttributes')],
  ] as const) {
    for (const [name, value] of taken.rest()) {
      taken.any(name);
      setCustom(draft, name, value, fieldPath(path, name));
    }
  }
  return mapped(draft, taker);
}

/** Through its channel GCM, Firebase reaches the iPhones of an app that registers Firebase's tokens. */
function isIphone({ Demographic: demographic }: Fields): boolean {
  const platform = isObject(demographic) ? demographic['Platform'] : undefined;
  return typeof platform === 'string' && platform.toLowerCase() === 'ios';
}

/** `ALL`: the user has opted out of all messages; `NONE`: of none. */
function permissionOf(optOut: string | undefined): 'Disabled' | 'Enabled' | undefined {
  if (optOut === undefined) return undefined;
  return optOut === 'NONE' ? 'Enabled' : 'Disabled';
}

function placeOf(latitude: unknown, longitude: unknown): object | undefined {
  return latitude === undefined && longitude === undefined ? undefined : { latitude, longitude };
}
