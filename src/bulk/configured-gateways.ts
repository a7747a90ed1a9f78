/** Opens the gateways at the configured addresses: for each thread that sends, and for broadcast channels. */
import { availableParallelism } from 'node:os';
import { type ChannelGateways, openChannelGateways } from '../channels/channel-gateways.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../process/config.ts';
import { type GatewaysOptions, openGateways, type WatchedGateways } from '../delivery/send/open-gateways.ts';
import { openApns } from '../gateways/apns/apns.ts';
import { openApnsChannels } from '../gateways/apns/channels-at-apple.ts';
import { openFcm } from '../gateways/fcm/fcm.ts';
import { openEncryption } from '../gateways/web-push/encrypt.ts';
import { openWebPush } from '../gateways/web-push/web-push.ts';
import { resolveBySystem } from '../proxy/public-addresses.ts';
import type { UnsavedOutcomes } from '../delivery/outcomes/unsaved-outcomes.ts';

/** A thread sends to as many browsers as three others can derive the keys of. */
const KEY_THREADS_MAX = 3;

/**
 * Apple's tokens have the time that all processes share, so that they change everywhere at once; others that of this machine. A refusal
 * then says something about that clock.
 * @param resources `clock`: which all processes share
 * @param reserved outcomes of bulk notifications that are not saved yet; omitted if these gateways send no bulk notifications
 */
export function openConfiguredGateways(
  config: Config,
  resources: Pick<GatewaysOptions, 'db' | 'secret' | 'clock' | 'observe'>,
  reserved?: UnsavedOutcomes,
): WatchedGateways {
  const shared = { ca: config.gatewayCa, proxy: config.proxy, reserved, clock: systemClock };
  const { fcmPushesPerMinute } = config;
  // Only a bulk notification has enough new browsers for it. One core is left for the thread itself.
  const threads = reserved === undefined ? 0 : Math.min(availableParallelism() - 1, KEY_THREADS_MAX);
  const encryption = openEncryption({ now: () => systemClock().getTime(), threads });
  const open: GatewaysOptions['open'] = {
    apns: ({ route, bundleId, token }, observe) =>
      openApns({
        ...shared,
        clock: resources.clock,
        route,
        bundleId,
        token,
        url: route === 'apns_production' ? config.apnsProductionUrl : config.apnsSandboxUrl,
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
    webPush: (credentials, observe) =>
      openWebPush({
        ...shared,
        credentials,
        encryption,
        hosts: config.webPushHosts,
        resolve: resolveBySystem,
        observe,
      }),
  };
  const gateways = openGateways({ ...resources, open, fcmPushesPerMinute });
  return {
    ...gateways,
    async close() {
      await gateways.close();
      await encryption.close();
    },
  };
}

export function openConfiguredChannels(
  config: Config,
  { db, secret, clock, observe }: Pick<GatewaysOptions, 'db' | 'secret' | 'clock' | 'observe'>,
): ChannelGateways {
  return openChannelGateways({
    db,
    secret,
    clock,
    open: ({ environment, bundleId, token }) => {
      const isProduction = environment === 'production';
      return openApnsChannels({
        bundleId,
        token,
        pushUrl: isProduction ? config.apnsProductionUrl : config.apnsSandboxUrl,
        managementUrl: isProduction ? config.apnsChannelsProductionUrl : config.apnsChannelsSandboxUrl,
        ca: config.gatewayCa,
        proxy: config.proxy,
        clock,
        observe,
      });
    },
  });
}
