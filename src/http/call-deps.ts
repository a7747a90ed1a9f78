/** What handlers use. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { GatewayAddresses } from '../apps/credentials/ask-gateways.ts';
import { openUserTokens } from '../apps/identity/verify.ts';
import { openKeyring } from '../apps/keyring.ts';
import type { SecretKey } from '../apps/seal.ts';
import { openTokenKeys } from '../apps/token-keys.ts';
import { openCountCache } from '../audiences/count-cache.ts';
import { openCountLimiter } from '../audiences/count-limiter.ts';
import { openWaitingCallers } from '../audiences/waiting-callers.ts';
import type { ChannelGateways } from '../channels/channel-gateways.ts';
import type { Clock } from '../clock.ts';
import type { WhoAddsApps } from '../console/accounts/add-app.ts';
import type { Sessions } from '../console/accounts/sessions.ts';
import type { Replica } from '../db/replica/replica.ts';
import { readSnapshot } from '../db/snapshot.ts';
import type { Database } from '../db/tables.ts';
import type { DatabaseWatch } from '../db/watch-database.ts';
import type { GeoIp } from '../devices/address/geoip.ts';
import { openRegistrations } from '../devices/registrations/open-registrations.ts';
import { NO_OTHER_HOSTS, type WebPushHosts } from '../gateways/web-push/hosts.ts';
import { type DirectStart, openIntake } from '../notifications/intake/intake.ts';
import type { Observe } from '../observe.ts';
import type { Queue } from '../queue/queue.ts';
import { openReceipts } from '../results/receipts/receipts.ts';
import { openLiveViews } from '../results/report/live.ts';
import type { Status } from '../status/status.ts';
import { openSuggester } from '../targeting/suggest-values.ts';
import type { Tracer } from '../tracing/span.ts';
import { makeAuthentication } from './authenticate.ts';
import type { ServerLimits } from './bare-server.ts';
import type { MetricsPage } from './calls/service.ts';
import type { OidcSettings } from './console/oidc.ts';
import type { OwnPort } from './console/own-port.ts';
import type { ConnectionLimit } from './load/connections.ts';
import type { Overload } from './load/overload.ts';
import type { RateLimits, RateLimitSettings } from './rate-limit/rate-limit.ts';
import type { RequestSpans } from './trace-requests.ts';

const COUNT_MAX_AGE_MS = 5_000;
const FCM_PUSHES_PER_MINUTE = 600_000;

export interface ServerResources {
  db: Kysely<Database>;
  /** Answers calls whose reply may be some seconds old. Undefined: there is no replica. */
  replica?: Replica | undefined;
  queue: Pick<Queue, 'add' | 'ping'>;
  /** The list of troubles; undefined: it is made for each call that asks for it. */
  status?: Status | undefined;
  /** Claims and sends notifications as soon as they are stored. Undefined: this process is no worker. */
  direct?: DirectStart | undefined;
  /** Whether the disk of the database is full. Undefined: it is not watched. */
  watch?: Pick<DatabaseWatch, 'isFull' | 'trouble'>;
  /** For broadcast channels. Undefined: this process has no connection to Apple. */
  channels?: ChannelGateways | undefined;
  /** Has the sender of broadcasts in this process look for work. Undefined: it has none. */
  wakeChannels?: (() => void) | undefined;
  clock: Clock;
  /** Encrypts the secrets of webhooks and the keys of retired push tokens. */
  secret: SecretKey;
  observe: Observe;
  /** Undefined: nothing is traced. */
  tracer?: Tracer;
  limits?: Partial<ServerLimits>;
  /** The maximum age of the device count of a large audience. */
  countMaxAgeMs?: number;
  /** Whether webhooks may use private addresses and plain HTTP. */
  webhooksMayBePrivate?: boolean;
  /** Locates devices by IP address when they register. Undefined: no device is located. */
  geoip?: GeoIp | undefined;
  /** Undefined: only the push services of the browsers are allowed. */
  webPushHosts?: WebPushHosts | undefined;
  /** Undefined if metrics have a port of their own. */
  metrics?: MetricsPage | undefined;
  rateLimits?: RateLimitSettings;
  /** Undefined: no load is shed. */
  overload?: Overload;
  /** Shared by all servers of the process. Undefined: connections are not limited. */
  connections?: ConnectionLimit;
  /** Addresses and ranges, joined by commas, whose `X-Forwarded-For` is trusted. Undefined: none. */
  trustedProxies?: string | undefined;
  /** Google's quota for a Firebase project, which live views name. */
  fcmPushesPerMinute?: number;
  /** Undefined: users of the console sign in with passwords only. */
  oidc?: OidcSettings | undefined;
  /** Where `/console` is served: nowhere, with the API (the default), or only at a port of its own. */
  console?: 'off' | 'here' | OwnPort;
  /** Whether users of the console need a second factor. */
  requiresSecondFactor?: boolean;
  /** Which users of the console add apps; those who are admin of one by default. */
  whoAddsApps?: WhoAddsApps;
  /** Whether this is the server of `carillon demo`, which the console says. */
  isDemo?: boolean;
  /** For the check of new credentials. Undefined: they can only be stored unchecked. */
  gatewayAddresses?: GatewayAddresses | undefined;
}

interface OfServer {
  limits: ServerLimits;
  rateLimits: RateLimits;
  /** Undefined: there is no console. */
  sessions: Sessions | undefined;
  status: Status;
  spans: RequestSpans;
}

export type CallDeps = ReturnType<typeof openCallDeps>;

/** Opens what the handlers of one server share. It is closed with the server, or has nothing to close: the server waits for its calls. */
export function openCallDeps(
  server: FastifyInstance,
  resources: ServerResources,
  { limits, rateLimits, sessions, status, spans }: OfServer,
) {
  const { db, queue, clock, secret, observe, replica } = resources;
  const keyring = openKeyring({ db, clock });
  const tokenKeys = openTokenKeys(db, secret);
  const live = openLiveViews({
    db,
    status,
    secret,
    clock,
    fcmPushesPerMinute: resources.fcmPushesPerMinute ?? FCM_PUSHES_PER_MINUTE,
  });
  // Open streams would keep the server from closing.
  server.addHook('preClose', async () => live.close());
  const openCaches = (of: Kysely<Database>, snapshot: () => Promise<string>) => ({
    db: of,
    countCache: openCountCache({
      clock,
      maxAgeMs: resources.countMaxAgeMs ?? COUNT_MAX_AGE_MS,
      readSnapshot: snapshot,
    }),
  });
  const caches = openCaches(db, async () => readSnapshot(db));
  // A replica cannot say whether anything was written: its snapshots do not list what is in progress.
  const instead = replica && openCaches(replica.db, async () => replica.snapshot());
  return {
    ...resources,
    ...limits,
    ...caches,
    countCache: {
      ...caches.countCache,
      forget: (key: string) => {
        caches.countCache.forget(key);
        instead?.countCache.forget(key);
      },
    },
    status,
    /** Undefined: there is no replica. */
    replicaReads: replica && instead && { replica, instead },
    authentication: makeAuthentication(server, { keyring, sessions, status }, rateLimits),
    /** Drops the keys and sessions that this process has cached. */
    forgetCallers: () => {
      keyring.clear();
      sessions?.clear();
    },
    spans,
    intake: openIntake({ db, queue, clock, observe, direct: resources.direct }),
    receipts: openReceipts({ db, clock }),
    countLimiter: openCountLimiter(),
    countCallers: openWaitingCallers(),
    suggester: openSuggester(),
    tokenKeys,
    userTokens: openUserTokens({ db, secret, clock, observe }),
    registrations: openRegistrations({ db, tokenKeys, clock }),
    live,
    webPushHosts: resources.webPushHosts ?? NO_OTHER_HOSTS,
    webhooksMayBePrivate: resources.webhooksMayBePrivate ?? false,
  };
}
