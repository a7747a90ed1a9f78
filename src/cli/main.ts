/**
 * The command line: `carillon <command>`. Exits with 0, with 78 if the settings are invalid, or with 1 after any other
 * failure. The error message goes to standard error.
 */
import { Command, CommanderError, Help, type Option } from 'commander';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { ConfigError } from '../process/config.ts';
import { addAppsCommands } from './commands/apps.ts';
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

const { version } = z.object({ version: z.string() }).parse(packageJson);

/** `EX_CONFIG` in sysexits.h: invalid settings. */
const EXIT_CONFIG = 78;

const program = new Command('carillon')
  .description('A self-hosted push notification server')
  .version(version, '--version', 'show the version')
  .configureHelp({ optionDescription })
  // Commander throws instead of printing, so that every fault is printed in one place, below.
  .exitOverride()
  .configureOutput({ writeErr: () => undefined });
addStartCommand(program);
addMigrateCommand(program);
addAppsCommands(program);
addKeysCommands(program);
addCredentialsCommands(program);
addGatewaysCommands(program);
addSecretCommand(program);
addDevicesCommands(program);
addDoctorCommand(program);
addSimulatorCommand(program);
addDemoCommand(program);

const words = process.argv.slice(2);

try {
  await program.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' });
} catch (error) {
  process.exitCode = report(error);
}

/** Commander's description, with “(required)” after it if the option is required. */
function optionDescription(option: Option): string {
  const description = Help.prototype.optionDescription.call(new Help(), option);
  return option.mandatory && option.defaultValue === undefined ? `${description} (required)` : description;
}

/** Prints the error. @returns the exit code */
function report(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0; // the help that was asked for
  process.stderr.write(`carillon: ${error instanceof ConfigError ? error.message : oneLine(error)}\n`);
  return error instanceof ConfigError ? EXIT_CONFIG : 1;
}

function oneLine(error: unknown): string {
  return sentenceOf(error).replaceAll(/\s+/g, ' ').trim();
}

/** Includes the causes: "the schema could not be brought up to date" alone does not show what went wrong. */
function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) return `${faultOf(error)}; add --help for the usage`;
  if (!(error instanceof Error)) return String(error);
  // Node throws an AggregateError without a message when all addresses of a host refuse the connection.
  const own = error instanceof AggregateError ? error.errors.map(sentenceOf).join(', ') : error.message;
  return error.cause === undefined ? own : `${own}: ${sentenceOf(error.cause)}`;
}

function faultOf({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'a command is missing';
  if (code === 'commander.missingMandatoryOptionValue') return missingOptions();
  return message.replace(/^error: /, '').replace(/\.$/, '');
}

/** Every required option that the command line lacks; Commander itself names only the first. */
function missingOptions(): string {
  let command = program;
  for (const word of words) command = command.commands.find((sub) => sub.name() === word) ?? command;
  const missing = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  const names = missing.map(({ flags }) => `'${flags}'`).join(', ');
  return `required option${missing.length === 1 ? '' : 's'} ${names} not specified`;
}
