/** The interface of a local gateway that accepts and counts all pushes. */
import type { BenchCredentials } from '../support/credentials.ts';

export type SinkName = 'nginx' | 'simulator' | 'counting';

export interface GatewayAddresses {
  apnsUrl: string;
  fcmUrl: string;
  oauthUrl: string;
}

/** Pushes since the reset; null is what the sink does not know. */
export interface SinkCounts {
  received: number;
  /** How many were not the first to their token. */
  repeated: number | null;
  /** How many of these a phone would not show in the place of the first. */
  shownTwice: number | null;
}

export interface Sink extends GatewayAddresses {
  readonly name: SinkName;
  readonly pid: number;
  readonly caFile: string;
  readonly credentials: BenchCredentials;
  /** Resets the counts. */
  reset(): Promise<void>;
  count(): Promise<SinkCounts>;
  stop(): Promise<void>;
}
