/** What a server writes to standard error when its log is not there for it. */
import type { Observation } from '../observe.ts';
import { logLine } from '../process/log/log.ts';
import type { Terminal } from './terminal.ts';

/**
 * A person at a terminal gets the sentence. Anything else that reads standard error is taken for a log collector, which gets a line
 * like those of the log. `LOG_FORMAT` decides for both, also where it is the only setting without a fault.
 */
export function complain(terminal: Terminal, observation: Observation, sentence: string): void {
  terminal.stderr.write(isForCollector(terminal) ? logLine(observation) : `carillon: ${sentence}\n`);
}

function isForCollector({ env, stderr }: Pick<Terminal, 'env' | 'stderr'>): boolean {
  const { LOG_FORMAT: format } = env;
  return format === 'json' || (format !== 'pretty' && stderr.isTTY !== true);
}
