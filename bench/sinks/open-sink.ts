/**
 * Opens the gateway for the pushes of a run, in its own process: nginx if it is installed, because it is several times
 * faster than a Node server; otherwise the simulator, which validates every request and counts the pushes of each
 * token.
 */
import { findProgram } from '../support/programs.ts';
import { openNginxSink } from './nginx-sink.ts';
import { openSimulatorSink } from './simulator-sink.ts';
import type { Sink, SinkName } from './sink.ts';

/** Opens the named sink; without a name, the fastest that is installed. */
export async function openSink(name: SinkName | undefined, dir: string): Promise<Sink> {
  const nginx = name === 'simulator' ? undefined : findProgram('nginx');
  if (name === 'nginx' && nginx === undefined) throw new Error('nginx is not installed');
  return nginx === undefined ? openSimulatorSink(dir) : openNginxSink(nginx, dir);
}
