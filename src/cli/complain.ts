/** Writes a server's messages to standard error while its log cannot be used. */
import type { Observation } from '../observe.ts';
import { logLine } from '../process/log/log.ts';
import type { Terminal } from './terminal.ts';

/**
 * A person at a terminal gets the sentence. Anything else that reads standard error is assumed to be a log collector,
 * which gets a line in the form of the log. `LOG_FORMAT` overrides both, even if other settings have faults.
 */
export function complain(terminal: Terminal, observation: Observation, sentence: string): void {
  terminal.stderr.write(isForCollector(terminal) ? logLine(observation) : `carillon: ${sentence}\n`);
}

function isForCollector({ env, stderr }: Pick<Terminal, 'env' | 'stderr'>): boolean {
  const { LOG_FORMAT: format } = env;
  return format === 'json' || (format !== 'pretty' && stderr.isTTY !== true);
}
