import { readConfig } from '../process/config.ts';
import { observeNothing } from '../observe.ts';
import { openResources, type Resources } from '../process/resources.ts';

/** Runs a command on the configured database, or on the embedded one, which is started if no server has it running. */
export async function withResources(use: (resources: Resources) => Promise<void>): Promise<void> {
  const resources = await openResources(readConfig(process.env), observeNothing);
  try {
    await use(resources);
  } finally {
    await resources.close();
  }
}
