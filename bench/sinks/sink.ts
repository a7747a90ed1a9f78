/** The interface of a local gateway that accepts and counts all pushes. */
import type { BenchCredentials } from '../support/credentials.ts';

export type SinkName = 'nginx' | 'simulator';

export interface GatewayAddresses {
  apnsUrl: string;
  fcmUrl: string;
  oauthUrl: string;
}

export interface Sink extends GatewayAddresses {
  readonly name: SinkName;
  readonly pid: number;
  readonly caFile: string;
  readonly credentials: BenchCredentials;
  /** Resets the counts. */
  reset(): Promise<void>;
  /** Pushes since the reset. `repeated`: how many were not the first to their token; null if the sink does not know. */
  count(): Promise<{ received: number; repeated: number | null }>;
  stop(): Promise<void>;
}
