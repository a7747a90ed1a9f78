/** The command line: `carillon <command>`. Exit 0, or 1 with one line on standard error; 78 for settings. */
import { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { addAppsCommands } from './apps.ts';
import { addCredentialsCommands } from './credentials.ts';
import { addDemoCommand } from './demo.ts';
import { addKeysCommands } from './keys.ts';
import { addMigrateCommand } from './migrate.ts';
import { addSimulatorCommand } from './simulator.ts';
import { addStartCommand } from './start.ts';

/** `EX_CONFIG` of sysexits: settings that cannot be used. */
const EXIT_CONFIG = 78;

const program = new Command('carillon')
  .description('A self-hosted push notification server')
  .showHelpAfterError('(add --help for the usage)');
addStartCommand(program);
addMigrateCommand(program);
addAppsCommands(program);
addKeysCommands(program);
addCredentialsCommands(program);
addSimulatorCommand(program);
addDemoCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  const isConfig = error instanceof ConfigError;
  process.stderr.write(`carillon: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = isConfig ? EXIT_CONFIG : 1;
}
