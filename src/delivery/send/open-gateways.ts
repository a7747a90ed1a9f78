/**
 * The gateways of each app, opened when first needed and kept open, because Apple asks for long-lived sessions.
 * Replaced credentials are noticed at the next slice or notification, without a restart.
 */
import type { Kysely } from 'kysely';
import {
  type AppCredentials,
  credentialsByRoute,
  type CredentialVersion,
  listCredentialVersions,
  readCredentials,
} from '../../apps/credentials/store.ts';
import type { SecretKey } from '../../apps/seal.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { openProviderToken, type ProviderToken } from '../../gateways/apns/provider-token.ts';
import type { FcmCredentials } from '../../gateways/fcm/service-account.ts';
import type { Gateway } from '../../gateways/gateway.ts';
import type { VapidCredentials } from '../../gateways/web-push/vapid-key.ts';
import { type Route, routes } from '../../route.ts';
import type { Observe } from '../../observe.ts';
import type { Span } from '../../tracing/span.ts';
import { observeForFollowers } from './trace-sessions.ts';
import { openPauses, openSharedPace, type Pace, paceKeyOf } from './pace.ts';
import { RouteAnswers, type RouteTrouble } from '../routes/route-answers.ts';
import { RouteState, type RouteStore } from '../routes/route-state.ts';
import { takeProbe, endPause, type RouteKey, storePause, storeProof } from '../routes/route-store.ts';

/** The data of a connection to APNs for an app in one environment. */
export interface AppOnApns {
  route: 'apns_production' | 'apns_sandbox';
  bundleId: string;
  /** Shared by all routes with the same key. */
  token: ProviderToken;
}

/** How a gateway is opened from an app's credentials; tests pass their own. */
export interface GatewayOpeners {
  apns: (app: AppOnApns, observe: Observe) => Gateway;
  fcm: (credentials: FcmCredentials, observe: Observe) => Gateway;
  webPush: (credentials: VapidCredentials, observe: Observe) => Gateway;
}

/** The gateway of one route, and what this process knows about it. */
export interface OpenGateway {
  readonly gateway: Gateway;
  readonly version: string;
  /**
   * Whether the gateway has given a verdict on a push, and so accepted the credentials. Until then, the first push of
   * each page goes alone.
   */
  credentialsAccepted: boolean;
  readonly pace: Pace;
  readonly answers: RouteAnswers;
  /** The state of the route, which all workers share. */
  readonly state: RouteState;
  /** Spans of the slices in progress that send through it. */
  readonly followers: Set<Span>;
}

export type AppGateways = Partial<Record<Route, OpenGateway>>;

export interface GatewaysOptions {
  db: Kysely<Database>;
  /** Decrypts the credentials. */
  secret: SecretKey;
  open: GatewayOpeners;
  clock: Clock;
  observe: Observe;
  /** The quota of each Firebase project. */
  fcmPushesPerMinute: number;
}

interface App {
  appId: string;
  bundleId: string;
}

export interface Gateways {
  /**
   * @param versions the versions of its credentials, if they have just been read; otherwise they are read here
   * @returns the gateways for which the app has credentials now
   */
  forApp(app: App, versions?: readonly CredentialVersion[]): Promise<AppGateways>;
  close(): Promise<void>;
}

export interface WatchedGateways extends Gateways {
  /** What is wrong with the answers on each route. Call it every second. */
  troubles(): TroubledRoute[];
}

export interface TroubledRoute extends RouteTrouble {
  appId: string;
  /** The bundle id of the app. */
  app: string;
  route: Route;
}

/** The open gateways of one app. */
interface OpenApp {
  bundleId: string;
  gateways: AppGateways;
  /** By the version of the key. */
  tokens: ReadonlyMap<string, ProviderToken>;
  /** The versions from which its routes were last updated. */
  versions?: readonly CredentialVersion[];
}

type Opened = Pick<OpenGateway, 'gateway' | 'pace'>;

const NOTHING_OPEN: OpenApp = { bundleId: '', gateways: {}, tokens: new Map() };

export function openGateways(options: GatewaysOptions): WatchedGateways {
  const { db, secret, open, clock, observe, fcmPushesPerMinute: pushesPerMinute } = options;
  const apps = new Map<string, OpenApp>();
  const closing = new Set<Promise<unknown>>();

  const closeGateway = (entry: OpenGateway): void => {
    const closed = Promise.all([entry.gateway.close(), entry.state.stored()]).finally(() =>
      closing.delete(closed),
    );
    closing.add(closed);
  };

  function openState(key: RouteKey): RouteState {
    const { route } = key;
    const store: RouteStore = {
      prove: async () => storeProof(db, key, clock()),
      pause: async (pause) => storePause(db, key, pause, clock()),
      takeProbe: async () => takeProbe(db, key, clock()),
      endPause: async (cause) => endPause(db, key, cause, clock()),
    };
    return new RouteState({ route, store, clock, observe });
  }

  function openApp({ appId, bundleId }: App, credentials: AppCredentials, current: OpenApp): OpenApp {
    const tokens = new Map<string, ProviderToken>();
    const gateways: AppGateways = {};
    const keep = (route: Route, version: string, openNew: (observe: Observe) => Opened): void => {
      const kept = current.gateways[route];
      if (kept?.version === version) {
        gateways[route] = kept;
        return;
      }
      const followers = new Set<Span>();
      const opened = openNew(observeForFollowers(observe, followers));
      const state = openState({ appId, route, version });
      const answers = new RouteAnswers(() => clock().getTime());
      gateways[route] = { ...opened, version, credentialsAccepted: false, answers, state, followers };
    };
    for (const route of ['apns_production', 'apns_sandbox'] as const) {
      const key = credentials[route];
      if (key === undefined) continue;
      const { version } = key;
      const known = tokens.get(version) ?? current.tokens.get(version);
      const token = known ?? openProviderToken(key, clock);
      tokens.set(version, token);
      keep(route, version, (observeHere) => ({
        gateway: open.apns({ route, bundleId, token }, observeHere),
        pace: openPauses(clock),
      }));
    }
    const { fcm } = credentials;
    if (fcm !== undefined) {
      const project = paceKeyOf(fcm.project_id);
      keep('fcm', fcm.version, (observeHere) => ({
        gateway: open.fcm(fcm, observeHere),
        pace: openSharedPace({ db, project, pushesPerMinute, clock }),
      }));
    }
    const { web_push: vapid } = credentials;
    if (vapid !== undefined) {
      keep('web_push', vapid.version, (observeHere) => ({
        gateway: open.webPush(vapid, observeHere),
        pace: openPauses(clock),
      }));
    }
    return { bundleId, gateways, tokens };
  }

  return {
    async forApp(app, knownVersions) {
      const { appId } = app;
      const opened = apps.get(appId);
      const known = opened?.gateways ?? {};
      // A known pause may have ended since the versions were read, so they are read again.
      const isPaused = Object.values(known).some(({ state }) => state.pause !== undefined);
      const isRead = isPaused || knownVersions === undefined;
      // Notifications that were claimed together have theirs from one read.
      if (!isRead && opened?.versions === knownVersions) return known;
      const readAt = isRead ? performance.now() : 0;
      const versions = isRead ? await listCredentialVersions(db, appId) : knownVersions;
      if (opened !== undefined && sameVersions(known, versions)) {
        learn(known, versions, readAt);
        opened.versions = versions;
        return known;
      }

      const credentials = await readCredentials(db, secret, appId);
      // Another slice may have opened gateways during the read, so the current state counts.
      const current = apps.get(appId) ?? NOTHING_OPEN;
      const next = openApp(app, credentials, current);
      learn(next.gateways, versions, readAt);
      next.versions = versions;
      apps.set(appId, next);
      for (const route of routes) {
        const entry = current.gateways[route];
        if (entry !== undefined && entry !== next.gateways[route]) closeGateway(entry);
      }
      return next.gateways;
    },
    troubles: () =>
      [...apps].flatMap(([appId, { bundleId, gateways }]) =>
        routes.flatMap((route): TroubledRoute[] => {
          const trouble = gateways[route]?.answers.trouble();
          return trouble === undefined ? [] : [{ ...trouble, appId, app: bundleId, route }];
        }),
      ),
    async close() {
      for (const { gateways } of apps.values()) {
        for (const entry of Object.values(gateways)) closeGateway(entry);
      }
      apps.clear();
      await Promise.all(closing);
    },
  };
}

/** Updates the routes with the state that was read together with the versions. */
function learn(gateways: AppGateways, versions: readonly CredentialVersion[], readAt: number): void {
  const chosen = credentialsByRoute(versions);
  for (const route of routes) {
    const entry = gateways[route];
    const credentials = chosen[route];
    if (entry === undefined || credentials?.version !== entry.version) continue;
    entry.state.learn(
      credentials.routes.find((stored) => stored.route === route),
      readAt,
    );
  }
}

function sameVersions(known: AppGateways, versions: readonly CredentialVersion[]): boolean {
  const chosen = credentialsByRoute(versions);
  return routes.every((route) => known[route]?.version === chosen[route]?.version);
}
