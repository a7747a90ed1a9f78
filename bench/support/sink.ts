/**
 * Where all pushes go: a local gateway in a process of its own that says yes and counts. nginx where it is
 * installed, because it takes several times what a Node server does; else the simulator, which checks every
 * request and counts the pushes of each token.
 */
import type { BenchCredentials } from './credentials.ts';
import { openNginxSink } from './nginx-sink.ts';
import { findProgram } from './programs.ts';
import { openSimulatorSink } from './simulator-sink.ts';

export type SinkName = 'nginx' | 'simulator';

export interface GatewayAddresses {
  apnsUrl: string;
  fcmUrl: string;
  oauthUrl: string;
}

export interface Sink extends GatewayAddresses {
  readonly name: SinkName;
  readonly caFile: string;
  readonly credentials: BenchCredentials;
  /** Starts to count from nothing. */
  reset(): Promise<void>;
  /** Pushes since the reset. `repeated`: of those, the second and later ones to a token; null where it cannot tell. */
  count(): Promise<{ received: number; repeated: number | null }>;
  stop(): Promise<void>;
}

/** Without a name: the fastest that is installed. */
export async function openSink(name: SinkName | undefined, dir: string): Promise<Sink> {
  const nginx = name === 'simulator' ? undefined : findProgram('nginx');
  if (name === 'nginx' && nginx === undefined) throw new Error('nginx is not installed');
  return nginx === undefined ? openSimulatorSink(dir) : openNginxSink(nginx, dir);
}
