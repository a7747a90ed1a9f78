/** Opens the gateways as the settings say. */
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import type { GatewayOpeners } from './delivery/open-gateways.ts';
import { openApns } from './gateways/apns/apns.ts';
import { openFcm } from './gateways/fcm/fcm.ts';
import type { UnrecordedOutcomes } from './gateways/unrecorded-outcomes.ts';

/** @param unrecorded of the broadcasts that are sent through them, if any are */
export function gatewayOpeners(config: Config, unrecorded?: UnrecordedOutcomes): GatewayOpeners {
  const shared = { ca: config.gatewayCa, unrecorded, clock: systemClock };
  return {
    apns: (bundleId, credentials, observe) =>
      openApns({
        ...shared,
        bundleId,
        credentials,
        productionUrl: config.apnsProductionUrl,
        sandboxUrl: config.apnsSandboxUrl,
        observe,
      }),
    fcm: (credentials, observe) =>
      openFcm({
        ...shared,
        credentials,
        fcmUrl: config.fcmUrl,
        oauthUrl: config.googleOauthUrl,
        observe,
      }),
  };
}
