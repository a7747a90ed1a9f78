export const platforms = ['iOS', 'Android', 'Web'] as const;
export type Platform = (typeof platforms)[number];

/** The gateways through which pushes reach devices; `web_push` stands for the push services of all browsers. */
export const gatewayNames = ['apns', 'fcm', 'web_push'] as const;
export type GatewayName = (typeof gatewayNames)[number];

/**
 * The route of a push to a device: one of Apple's two environments, Google, or Web Push. Each is refused, paused and proven
 * separately, because an Apple key may work in only one environment.
 */
export const routes = ['apns_production', 'apns_sandbox', 'fcm', 'web_push'] as const;
export type Route = (typeof routes)[number];

/** As people say them, at the beginning of a sentence or within one. */
export const routeNames: Readonly<Record<Route, string>> = {
  apns_production: 'Apple',
  apns_sandbox: 'Apple’s sandbox',
  fcm: 'Google',
  web_push: 'Web Push',
};

export const gatewayTitles: Readonly<Record<GatewayName, string>> = {
  apns: 'Apple',
  fcm: 'Google',
  web_push: 'Web Push',
};

export function gatewayOf(route: Route): GatewayName {
  return route === 'fcm' || route === 'web_push' ? route : 'apns';
}

/**
 * What a push token is: a token of Apple or of Firebase, an installation id of Firebase (`fid`), which FCM accepts instead, either
 * of those two for an iPhone that is reached through Firebase (`fcm`), or the endpoint of a subscription of Web Push.
 */
export const pushTokenTypes = ['token', 'fid', 'fcm', 'subscription'] as const;
export type PushTokenType = (typeof pushTokenTypes)[number];

/** What decides the route to a device. */
export interface Reached {
  platform: Platform;
  development: boolean;
  push_token_type: PushTokenType;
}

/** The route to a device. Development builds of iOS are reached through Apple's sandbox; Google has none, and chooses Apple's itself. */
export function routeTo({ platform, development, push_token_type: type }: Reached): Route {
  if (type === 'subscription' || platform === 'Web') return 'web_push';
  if (platform === 'Android' || type === 'fcm') return 'fcm';
  return development ? 'apns_sandbox' : 'apns_production';
}

/** SQL expression: the gateway of a row of `devices`, as `routeTo` has it. @param row its name in the statement */
export function gatewaySql(row: string): string {
  return `case when ${row}.push_token_type = 'subscription' or ${row}.platform = 'Web' then 'web_push'
    when ${row}.platform = 'Android' or ${row}.push_token_type = 'fcm' then 'fcm' else 'apns' end`;
}
