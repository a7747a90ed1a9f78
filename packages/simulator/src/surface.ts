/** The interface of a running simulator, in process; `control.ts` offers most of it over HTTP. */
import type { AppleAuthority } from './apple/authority.ts';
import type { AppleBroadcast, AppleChannel } from './apple/channel-book.ts';
import type { AppleDevice } from './apple/request.ts';
import type { FaultOrder, OrderedFault } from './faults.ts';
import type { GoogleAccounts } from './google/accounts.ts';
import type { GoogleInstallations } from './google/installations.ts';
import type { WebSettings } from './web/web.ts';
import type { WebSubscriber, WebSubscription } from './web/subscriptions.ts';
import type { Counts, Keep, ReceivedPush, ReceivedQuery, WebPush } from './ledger.ts';

export interface SimulatorOptions {
  /** The source of the current time; default: the system's. */
  clock?: () => Date;
  /** The address to listen on; default 127.0.0.1. */
  host?: string;
  /** If 0 or unset, any free port. */
  ports?: {
    apnsProduction?: number;
    apnsSandbox?: number;
    google?: number;
    control?: number;
    channelsProduction?: number;
    channelsSandbox?: number;
    web?: number;
  };
  /** Where to write the certificate authority's certificate, as `ca.pem`. */
  certificateDir?: string;
  /** How many pushes are kept in full, by default 10,000; or only the `counts`. */
  keep?: Keep;
  /** Concurrent streams on a connection to Apple before its first accepted push. Default: 1, as at Apple. */
  initialStreams?: number;
  /** Refuse a team's second new provider token within 20 minutes, as Apple does. Default: off. */
  limitTokenUpdates?: boolean;
  /** Broadcast channels that an app may have in an environment. Default: 10,000, as at Apple. */
  channelsMax?: number;
  /** The settings with which the push services of browsers start. */
  web?: Partial<WebSettings>;
}

export interface SimulatorUrls {
  apnsProduction: string;
  apnsSandbox: string;
  /** The address for the management of channels. */
  channelsProduction: string;
  channelsSandbox: string;
  fcm: string;
  /** The URL of the token endpoint, with its path. */
  oauth: string;
  /** The origin of the endpoints of browsers. */
  web: string;
  control: string;
}

export interface Simulator {
  readonly urls: SimulatorUrls;
  /** The certificate of the authority that clients have to trust. */
  readonly caPem: string;
  /** The file with this certificate; null without a `certificateDir`. */
  readonly caFile: string | null;
  readonly apple: Pick<AppleAuthority, 'createKey' | 'registerKey'> & {
    /** Assigns a push token to a topic and an environment. Other tokens are valid for all. */
    registerDevice(device: AppleDevice): void;
    /** The broadcast channels of all apps. */
    channels(): AppleChannel[];
    /** Creates a channel as another program would. @returns undefined at the limit */
    createChannel(channel: Omit<AppleChannel, 'id'>): AppleChannel | undefined;
    /** Deletes a channel, as another program would. */
    deleteChannel(channel: AppleChannel): void;
    /** Takes Apple's broadcast capability from an app, which has it otherwise. */
    disableChannels(bundleId: string): void;
    /** The accepted broadcasts, oldest first; the newest 10,000. */
    broadcasts(): AppleBroadcast[];
  };
  readonly google: Pick<
    GoogleAccounts,
    'createServiceAccount' | 'registerServiceAccount' | 'createAccessToken'
  > &
    Pick<GoogleInstallations, 'registerInstallation'>;
  /** The push services of browsers. `deriveSubscription` makes subscriptions that they know without having made them. */
  readonly web: {
    /** Makes a subscription, as a browser would. @throws if the application server key is not a public key */
    subscribe(subscriber?: WebSubscriber): WebSubscription;
    /** Gives a subscription up: pushes to it are answered with `status` from now on, by default 410. */
    unsubscribe(endpoint: string, status?: 404 | 410): void;
    set(settings: Partial<WebSettings>): void;
    /** Of the kept pushes, those that would wait for the browser if it had been off: not replaced by topic, not expired. */
    waiting(endpoint: string): WebPush[];
  };
  /** The kept pushes, oldest first. */
  received(query?: ReceivedQuery): ReceivedPush[];
  /** How often each push token received the notification. Counts all pushes, even if they are not kept. */
  pushesByToken(nid: string): ReadonlyMap<string, number>;
  counts(): Counts;
  /** @returns the fault's id @throws {z.ZodError} if the order is malformed */
  orderFault(fault: FaultOrder): string;
  /** The faults that still apply. */
  faults(): OrderedFault[];
  clearFaults(): void;
  /** Removes pushes, counts, faults and channels; keys, accounts, subscriptions and connections stay. */
  reset(): void;
  /** Drops all connections and their pending answers, and closes the ports. */
  close(): Promise<void>;
}
