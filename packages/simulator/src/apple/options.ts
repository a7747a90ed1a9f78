/** The options of the simulated Apple. */
import type { Certificate } from '../certificate.ts';
import type { FaultBook } from '../faults.ts';
import type { Ledger } from '../ledger.ts';
import type { Delays } from '../answer-or-fault.ts';

export interface ApplePorts {
  production: number;
  sandbox: number;
  /** The port for the management of channels. */
  channelsProduction: number;
  channelsSandbox: number;
}

export interface AppleOptions {
  clock: () => Date;
  host: string;
  ports: ApplePorts;
  certificate: Certificate;
  /** SETTINGS_MAX_CONCURRENT_STREAMS until a push has been accepted; 1 at Apple. */
  initialStreams: number;
  /** Whether a team's second new provider token within 20 minutes is refused. */
  limitTokenUpdates: boolean;
  /** Channels that an app may have in an environment; 10,000 at Apple. */
  channelsMax: number;
  ledger: Ledger;
  faults: FaultBook;
  delays: Delays;
}
