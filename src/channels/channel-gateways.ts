/** The connections to Apple for channels, opened when first needed. Replaced credentials are noticed at the next use. */
import type { Kysely } from 'kysely';
import { credentialsByRoute, readCredentials } from '../apps/credentials/store.ts';
import type { SecretKey } from '../apps/seal.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import type { ApnsChannels } from '../gateways/apns/channels-at-apple.ts';
import { openProviderToken, type ProviderToken } from '../gateways/apns/provider-token.ts';
import type { Environment } from './channel.ts';

export interface ChannelGateways {
  /** @returns undefined if the app has no credentials for the environment */
  forApp(appId: string, environment: Environment): Promise<ApnsChannels | undefined>;
  close(): Promise<void>;
}

export function openChannelGateways({
  db,
  secret,
  open,
  clock,
}: {
  db: Kysely<Database>;
  secret: SecretKey;
  open: (app: { environment: Environment; bundleId: string; token: ProviderToken }) => ApnsChannels;
  clock: Clock;
}): ChannelGateways {
  const opened = new Map<string, { version: string; channels: ApnsChannels }>();
  const closing = new Set<Promise<void>>();

  const forget = (name: string): void => {
    const entry = opened.get(name);
    if (entry === undefined) return;
    opened.delete(name);
    const closed = entry.channels.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };

  return {
    async forApp(appId, environment) {
      const name = `${appId} ${environment}`;
      const route = `apns_${environment}` as const;
      const rows = await db
        .selectFrom('apps')
        .innerJoin('gateway_credentials as credentials', 'credentials.app_id', 'apps.id')
        .select(['apps.bundle_id', 'credentials.gateway', 'credentials.environment', 'credentials.version'])
        .where('apps.id', '=', appId)
        .execute();
      const chosen = credentialsByRoute(rows)[route];
      const known = opened.get(name);
      if (chosen !== undefined && known?.version === chosen.version) return known.channels;
      const { [route]: key } = chosen === undefined ? {} : await readCredentials(db, secret, appId, ['apns']);
      if (chosen === undefined || key === undefined) {
        forget(name);
        return undefined;
      }
      const meanwhile = opened.get(name); // opened by another call in the meantime
      if (meanwhile?.version === key.version) return meanwhile.channels;
      forget(name);
      const token = openProviderToken(key, clock);
      const channels = open({ environment, bundleId: chosen.bundle_id, token });
      opened.set(name, { version: key.version, channels });
      return channels;
    },
    async close() {
      for (const name of opened.keys()) forget(name);
      await Promise.all(closing);
    },
  };
}
