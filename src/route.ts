/** The gateways through which pushes reach devices. */
export const gatewayNames = ['apns', 'fcm'] as const;
export type GatewayName = (typeof gatewayNames)[number];

/**
 * The route of a push to a device: one of Apple's two environments, or Google. Each is refused, paused and proven
 * separately, because an Apple key may work in only one environment.
 */
export const routes = ['apns_production', 'apns_sandbox', 'fcm'] as const;
export type Route = (typeof routes)[number];

/** As people say them, at the beginning of a sentence or within one. */
export const routeNames: Readonly<Record<Route, string>> = {
  apns_production: 'Apple',
  apns_sandbox: 'Apple’s sandbox',
  fcm: 'Google',
};

export function gatewayOf(route: Route): GatewayName {
  return route === 'fcm' ? 'fcm' : 'apns';
}

/** The platform that a gateway serves. */
export function platformOf(gateway: GatewayName): 'iOS' | 'Android' {
  return gateway === 'apns' ? 'iOS' : 'Android';
}

/** The route to a device. Development builds of iOS are reached through Apple's sandbox; Google has no sandbox. */
export function routeTo(device: { platform: 'iOS' | 'Android'; development: boolean }): Route {
  if (device.platform === 'Android') return 'fcm';
  return device.development ? 'apns_sandbox' : 'apns_production';
}
