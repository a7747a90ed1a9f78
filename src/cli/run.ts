/** The commands, and what a command line that fails prints. */
import { Command, CommanderError, Help, type Option } from 'commander';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { giveEachAddressTime } from '../process/address-attempts.ts';
import { ConfigError } from '../process/config.ts';
import { addAppsCommands } from './commands/apps.ts';
import { addConsoleCommands } from './commands/console.ts';
import { addCredentialsCommands } from './commands/credentials.ts';
import { addDemoCommand } from './demo/demo.ts';
import { addDevicesCommands } from './commands/devices.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addGatewaysCommands } from './commands/gateways.ts';
import { addKeysCommands } from './commands/keys.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addSecretCommand } from './commands/secret.ts';
import { addSimulatorCommand } from './commands/simulator.ts';
import { addStartCommand } from './commands/start.ts';
import { PrintedFailure, type Terminal } from './terminal.ts';

const { version } = z.object({ version: z.string() }).parse(packageJson);

/** `EX_CONFIG` in sysexits.h: invalid settings. */
const EXIT_CONFIG = 78;

/** Columns of a help text that does not go to a terminal. */
const HELP_COLUMNS = 80;

/**
 * Runs `carillon <words>`. An error message goes to standard error.
 * @returns the exit code: 0, 78 if the settings are invalid, or 1 after any other failure
 */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  giveEachAddressTime();
  const program = programOn(terminal);
  try {
    await program.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof PrintedFailure) return 1;
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // the help that was asked for
    terminal.stderr.write(`carillon: ${messageOf(error, program, words)}\n`);
    return error instanceof ConfigError ? EXIT_CONFIG : 1;
  }
}

function programOn(terminal: Terminal): Command {
  const program = new Command('carillon')
    .description('A self-hosted push notification server')
    .version(version, '--version', 'show the version')
    .configureHelp({ optionDescription })
    // Commander throws instead of printing, so that every fault is printed in one place, above.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => terminal.stdout.columns ?? HELP_COLUMNS,
    });
  addStartCommand(program, terminal);
  addMigrateCommand(program, terminal);
  addAppsCommands(program, terminal);
  addKeysCommands(program, terminal);
  addCredentialsCommands(program, terminal);
  addConsoleCommands(program, terminal);
  addGatewaysCommands(program, terminal);
  addSecretCommand(program, terminal);
  addDevicesCommands(program, terminal);
  addDoctorCommand(program, terminal);
  addSimulatorCommand(program, terminal);
  addDemoCommand(program, terminal);
  return program;
}

/** Commander's description, with “(required)” after it if the option is required. */
function optionDescription(option: Option): string {
  const description = Help.prototype.optionDescription.call(new Help(), option);
  return option.mandatory && option.defaultValue === undefined ? `${description} (required)` : description;
}

function messageOf(error: unknown, program: Command, words: readonly string[]): string {
  if (error instanceof ConfigError) return error.message; // a line for each fault
  const sentence =
    error instanceof CommanderError
      ? `${usageFaultOf(error, program, words)}; add --help for the usage`
      : sentenceOf(error);
  return sentence.replaceAll(/\s+/g, ' ').trim();
}

/** Includes the causes: "the schema could not be brought up to date" alone does not show what went wrong. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node throws an AggregateError without a message when all addresses of a host refuse the connection.
  const own = error instanceof AggregateError ? error.errors.map(sentenceOf).join(', ') : error.message;
  return error.cause === undefined ? own : `${own}: ${sentenceOf(error.cause)}`;
}

function usageFaultOf({ code, message }: CommanderError, program: Command, words: readonly string[]): string {
  if (code === 'commander.help') return 'a command is missing';
  if (code === 'commander.missingMandatoryOptionValue') return missingOptions(program, words);
  return message.replace(/^error: /, '').replace(/\.$/, '');
}

/** Every required option that the command line lacks; Commander itself names only the first. */
function missingOptions(program: Command, words: readonly string[]): string {
  let command = program;
  for (const word of words) command = command.commands.find((sub) => sub.name() === word) ?? command;
  const missing = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  const names = missing.map(({ flags }) => `'${flags}'`).join(', ');
  return `required option${missing.length === 1 ? '' : 's'} ${names} not specified`;
}
