/** The interface of a running simulator, in process; `control.ts` offers most of it over HTTP. */
import type { Clock } from '../clock.ts';
import type { AppleAuthority } from './apple/authority.ts';
import type { AppleDevice } from './apple/request.ts';
import type { FaultOrder, OrderedFault } from './faults.ts';
import type { GoogleAccounts } from './google/accounts.ts';
import type { GoogleInstallations } from './google/installations.ts';
import type { Counts, Keep, ReceivedPush, ReceivedQuery } from './ledger.ts';

export interface SimulatorOptions {
  clock?: Clock;
  /** The address to listen on; default 127.0.0.1. */
  host?: string;
  /** 0, or unset: any free port. */
  ports?: { apnsProduction?: number; apnsSandbox?: number; google?: number; control?: number };
  /** Where to write the certificate authority's certificate, as `ca.pem`. */
  certificateDir?: string;
  /** How many pushes are kept in full, by default 10,000; or only the `counts`. */
  keep?: Keep;
  /** Concurrent streams on a connection to Apple before its first accepted push. Default: 1, as at Apple. */
  initialStreams?: number;
  /** Refuse a team's second new provider token within 20 minutes, as Apple does. Default: off. */
  limitTokenUpdates?: boolean;
}

export interface SimulatorUrls {
  apnsProduction: string;
  apnsSandbox: string;
  fcm: string;
  /** The URL of the token endpoint, with its path. */
  oauth: string;
  control: string;
}

export interface Simulator {
  readonly urls: SimulatorUrls;
  /** The certificate of the authority that clients have to trust. */
  readonly caPem: string;
  /** The file with that certificate; null without a `certificateDir`. */
  readonly caFile: string | null;
  readonly apple: Pick<AppleAuthority, 'createKey' | 'registerKey'> & {
    /** Assigns a push token to a topic and an environment. Other tokens are valid for all. */
    registerDevice(device: AppleDevice): void;
  };
  readonly google: Pick<
    GoogleAccounts,
    'createServiceAccount' | 'registerServiceAccount' | 'createAccessToken'
  > &
    Pick<GoogleInstallations, 'registerInstallation'>;
  /** The kept pushes, oldest first. */
  received(query?: ReceivedQuery): ReceivedPush[];
  /** How often each push token received the notification. Counts all pushes, also those that are not kept. */
  pushesByToken(nid: string): ReadonlyMap<string, number>;
  counts(): Counts;
  /** @returns the fault's id @throws {z.ZodError} if the order is malformed */
  orderFault(fault: FaultOrder): string;
  /** The faults that still apply. */
  faults(): OrderedFault[];
  clearFaults(): void;
  /** Removes pushes, counts and faults; keys, accounts and connections stay. */
  reset(): void;
  /** Drops all connections and their pending answers, and closes the ports. */
  close(): Promise<void>;
}
