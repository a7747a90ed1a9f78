/** What a running simulator offers; in process here, and most of it over HTTP by `control.ts`. */
import type { Clock } from '../clock.ts';
import type { AppleAuthority } from './apple/authority.ts';
import type { AppleDevice } from './apple/request.ts';
import type { FaultOrder, OrderedFault } from './faults.ts';
import type { GoogleAccounts } from './google/accounts.ts';
import type { GoogleInstallations } from './google/installations.ts';
import type { Counts, Keep, ReceivedPush, ReceivedQuery } from './ledger.ts';

export interface SimulatorOptions {
  clock?: Clock;
  /** Where it listens; 127.0.0.1 unless told. */
  host?: string;
  /** 0, or unset: any free port. */
  ports?: { apnsProduction?: number; apnsSandbox?: number; google?: number; control?: number };
  /** Where to write the certificate authority's certificate, as `ca.pem`. */
  certificateDir?: string;
  /** How many pushes are kept whole, 10,000 unless told; or only the `counts`. */
  keep?: Keep;
  /** Concurrent streams on a connection to Apple before its first accepted push; Apple's is 1. */
  initialStreams?: number;
  /** Refuse a team's second new provider token within 20 minutes, as Apple does. Off unless told. */
  limitTokenUpdates?: boolean;
}

export interface SimulatorUrls {
  apnsProduction: string;
  apnsSandbox: string;
  fcm: string;
  /** The token endpoint itself, path included. */
  oauth: string;
  control: string;
}

export interface Simulator {
  readonly urls: SimulatorUrls;
  /** The certificate authority that clients have to trust. */
  readonly caPem: string;
  /** Where it was written; null without a `certificateDir`. */
  readonly caFile: string | null;
  readonly apple: Pick<AppleAuthority, 'createKey' | 'registerKey'> & {
    /** Tells which topic and environment a push token belongs to; a token not told of fits any. */
    registerDevice(device: AppleDevice): void;
  };
  readonly google: Pick<
    GoogleAccounts,
    'createServiceAccount' | 'registerServiceAccount' | 'createAccessToken'
  > &
    Pick<GoogleInstallations, 'registerInstallation'>;
  /** The pushes taken and kept, oldest first. */
  received(query?: ReceivedQuery): ReceivedPush[];
  /** How often each push token got the notification of that id; complete whatever is kept. */
  pushesByToken(nid: string): ReadonlyMap<string, number>;
  counts(): Counts;
  /** @returns the fault's id @throws {z.ZodError} where the order is malformed */
  orderFault(fault: FaultOrder): string;
  /** The faults that may still happen. */
  faults(): OrderedFault[];
  clearFaults(): void;
  /** Forgets pushes, counts and faults; keys, accounts and connections stay. */
  reset(): void;
  /** Drops every connection, pending answers included, and frees the ports. */
  close(): Promise<void>;
}
