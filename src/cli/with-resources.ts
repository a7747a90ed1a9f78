import { observeNothing } from '../observe.ts';
import { type Config, readConfig } from '../process/config.ts';
import { openResources, type Resources } from '../process/resources.ts';
import type { Terminal } from './terminal.ts';

/** Runs a command on the configured database, or on the embedded one, which is started if no server has it running. */
export async function withResources(
  terminal: Terminal,
  use: (resources: Resources, config: Config) => Promise<void>,
): Promise<void> {
  const config = configOf(terminal);
  const resources = await openResources(config, observeNothing);
  try {
    await use(resources, config);
  } finally {
    await resources.close();
  }
}

/** @throws {ConfigError} with every fault of the settings */
export function configOf({ env, stdout }: Pick<Terminal, 'env' | 'stdout'>): Config {
  return readConfig(env, stdout.isTTY);
}
