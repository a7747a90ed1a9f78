/**
 * Opens the gateway for the pushes of a run, in its own process: nginx if it is installed, because it is several times
 * faster than a Node server; otherwise the simulator, which validates every request and counts the pushes of each
 * token. The one in Go keeps the pushes of ten million tokens.
 */
import { findProgram } from '../support/programs.ts';
import { openCountingSink } from './counting-sink.ts';
import { openNginxSink } from './nginx-sink.ts';
import { openSimulatorSink } from './simulator-sink.ts';
import type { Sink, SinkName } from './sink.ts';

/** Opens the named sink; without a name, the fastest that is installed. */
export async function openSink(name: SinkName | undefined, dir: string): Promise<Sink> {
  if (name === 'counting') {
    const go = findProgram('go');
    if (go === undefined) throw new Error('Go is not installed');
    return openCountingSink(go, dir);
  }
  const nginx = name === 'simulator' ? undefined : findProgram('nginx');
  if (name === 'nginx' && nginx === undefined) throw new Error('nginx is not installed');
  return nginx === undefined ? openSimulatorSink(dir) : openNginxSink(nginx, dir);
}
