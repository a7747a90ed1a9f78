/**
 * The gateways of each app, opened when first needed and kept: their sessions are long-lived, as Apple asks.
 * Replaced credentials are noticed at the next slice or notification, without a restart.
 */
import type { Kysely } from 'kysely';
import { type CredentialVersion, listCredentialVersions, readCredentials } from '../apps/credentials.ts';
import type { SecretKey } from '../apps/seal.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import type { Gateway, GatewayName } from '../gateways/gateway.ts';
import type { Observe } from '../observe.ts';
import type { Span } from '../tracing/span.ts';
import { tellFollowers } from './follow-sessions.ts';
import { openPauses, openSharedPace, type Pace } from './pace.ts';

type Credentials = Awaited<ReturnType<typeof readCredentials>>;

/** How a gateway is opened from an app's credentials; production code and tests hand in their own. */
export interface GatewayOpeners {
  apns: (bundleId: string, credentials: NonNullable<Credentials['apns']>, observe: Observe) => Gateway;
  fcm: (credentials: NonNullable<Credentials['fcm']>, observe: Observe) => Gateway;
}

/** An open gateway and what this process has learnt about it. */
export interface OpenGateway {
  readonly gateway: Gateway;
  readonly version: string;
  /** Some push has been answered by anything but "bad credentials". Until then, pushes go one at a time. */
  proven: boolean;
  readonly pace: Pace;
  /** Spans of the slices under way that push through it. */
  readonly followers: Set<Span>;
}

export type AppGateways = Partial<Record<GatewayName, OpenGateway>>;

export interface GatewaysOptions {
  db: Kysely<Database>;
  /** Unseals the credentials. */
  secret: SecretKey;
  open: GatewayOpeners;
  clock: Clock;
  observe: Observe;
  /** What Google grants each project. */
  fcmPushesPerMinute: number;
}

export interface Gateways {
  /**
   * The gateways that the app has credentials for, as of now.
   * @param versions of its credentials, where they have just been read; else they are read here
   */
  forApp(
    app: { appId: string; bundleId: string },
    versions?: readonly CredentialVersion[],
  ): Promise<AppGateways>;
  close(): Promise<void>;
}

export function openGateways(options: GatewaysOptions): Gateways {
  const { db, secret, open, clock, observe, fcmPushesPerMinute: pushesPerMinute } = options;
  const apps = new Map<string, AppGateways>();
  const closing = new Set<Promise<void>>();

  const closeGateway = (entry: OpenGateway): void => {
    const closed = entry.gateway.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };

  return {
    async forApp({ appId, bundleId }, knownVersions) {
      const versions = knownVersions ?? (await listCredentialVersions(db, appId));
      const known = apps.get(appId) ?? {};
      if (sameVersions(known, versions)) return known;

      const credentials = await readCredentials(db, secret, appId);
      // Another slice may have been here while we read: what is open now counts, not what was.
      const current = apps.get(appId) ?? {};
      const next: AppGateways = {};
      const { apns, fcm } = credentials;
      if (apns !== undefined) {
        next.apns = keep(current.apns, apns.version, (followers) => ({
          gateway: open.apns(bundleId, apns, tellFollowers(observe, followers)),
          pace: openPauses(),
        }));
      }
      if (fcm !== undefined) {
        const project = `fcm:${fcm.project_id}`;
        next.fcm = keep(current.fcm, fcm.version, (followers) => ({
          gateway: open.fcm(fcm, tellFollowers(observe, followers)),
          pace: openSharedPace({ db, project, pushesPerMinute, clock }),
        }));
      }
      apps.set(appId, next);
      for (const entry of [current.apns, current.fcm]) {
        if (entry !== undefined && entry !== next.apns && entry !== next.fcm) closeGateway(entry);
      }
      return next;
    },
    async close() {
      for (const { apns, fcm } of apps.values()) {
        if (apns !== undefined) closeGateway(apns);
        if (fcm !== undefined) closeGateway(fcm);
      }
      apps.clear();
      await Promise.all(closing);
    },
  };
}

function keep(
  current: OpenGateway | undefined,
  version: string,
  open: (followers: ReadonlySet<Span>) => Pick<OpenGateway, 'gateway' | 'pace'>,
): OpenGateway {
  if (current?.version === version) return current;
  const followers = new Set<Span>();
  return { ...open(followers), version, proven: false, followers };
}

function sameVersions(known: AppGateways, versions: readonly CredentialVersion[]): boolean {
  return (
    versions.length === Object.keys(known).length &&
    versions.every(({ gateway, version }) => known[gateway]?.version === version)
  );
}
