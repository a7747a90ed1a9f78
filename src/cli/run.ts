/** The commands, and what a command line that fails prints. */
import { Command, CommanderError, Help, type Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { giveEachAddressTime } from '../process/address-attempts.ts';
import type { ConfigError } from '../process/config.ts';
import { PrintedFailure, type Terminal } from './terminal.ts';

/** A command of the program; `load` gives the function that adds its options, subcommands and actions. */
interface CommandEntry {
  name: string;
  description: string;
  load: () => Promise<(command: Command, terminal: Terminal) => void>;
}

/**
 * Only the requested command is loaded, with all that it needs: loading takes much longer than running most commands.
 */
const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    description: 'runs the server in its ROLE (api, worker or all)',
    load: async () => (await import('./commands/start.ts')).addStartCommand,
  },
  {
    name: 'migrate',
    description: 'migrates the database schema, as every start does',
    load: async () => (await import('./commands/migrate.ts')).addMigrateCommand,
  },
  {
    name: 'apps',
    description: 'manages the apps that this server pushes for',
    load: async () => (await import('./commands/apps.ts')).addAppsCommands,
  },
  {
    name: 'keys',
    description: 'manages API keys',
    load: async () => (await import('./commands/keys.ts')).addKeysCommands,
  },
  {
    name: 'credentials',
    description: 'stores the credentials of an app; servers use new ones without a restart',
    load: async () => (await import('./commands/credentials.ts')).addCredentialsCommands,
  },
  {
    name: 'identity',
    description: 'says whether the phones of an app must prove their user, and by which keys',
    load: async () => (await import('./commands/identity.ts')).addIdentityCommands,
  },
  {
    name: 'console',
    description: 'manages the users of the console',
    load: async () => (await import('./commands/console.ts')).addConsoleCommands,
  },
  {
    name: 'gateways',
    description: "shows and resumes an app's routes to Apple and Google",
    load: async () => (await import('./commands/gateways.ts')).addGatewaysCommands,
  },
  {
    name: 'secret',
    description: 'manages the key that encrypts stored credentials',
    load: async () => (await import('./commands/secret.ts')).addSecretCommand,
  },
  {
    name: 'devices',
    description: 'manages the devices of an app',
    load: async () => (await import('./commands/devices.ts')).addDevicesCommands,
  },
  {
    name: 'status',
    description: 'lists what is wrong with the servers and their sending now; exits with 1 if anything is',
    load: async () => (await import('./commands/status.ts')).addStatusCommand,
  },
  {
    name: 'doctor',
    description: 'checks settings, Postgres, Redis, gateways, clock and credentials, and says what to do',
    load: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  },
  {
    name: 'simulator',
    description: 'runs local stand-ins for Apple, Google and browsers that can inject faults',
    load: async () => (await import('./commands/simulator.ts')).addSimulatorCommand,
  },
  {
    name: 'demo',
    description: 'runs a server, the simulator and sample devices, and sends one notification',
    load: async () => (await import('./demo/demo.ts')).addDemoCommand,
  },
];

/** `EX_CONFIG` in sysexits.h: invalid settings. */
const EXIT_CONFIG = 78;

/** Columns of a help text that does not go to a terminal. */
const HELP_COLUMNS = 80;

/**
 * Runs `carillon <words>`. Error messages go to standard error; a server writes them as lines of its log.
 * @returns the exit code: 0, 78 if the settings are invalid, or 1 after any other failure
 */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  giveEachAddressTime();
  const program = await programOn(terminal, words);
  try {
    await program.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof PrintedFailure) return 1;
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // the requested help
    const exitCode = isConfigError(error) ? EXIT_CONFIG : 1;
    const sentence = messageOf(error, program, words);
    if (words[0] === 'start') {
      const { complain } = await import('./complain.ts');
      const reason = isConfigError(error) ? error.faults.join('; ') : sentence;
      complain(terminal, { kind: 'start_refused', reason, exitCode }, sentence);
    } else {
      terminal.stderr.write(`carillon: ${sentence}\n`);
    }
    return exitCode;
  }
}

async function programOn(terminal: Terminal, words: readonly string[]): Promise<Command> {
  const program = new Command('carillon')
    .description('A self-hosted push notification server')
    .version(packageJson.version, '--version', 'show the version')
    .configureHelp({ optionDescription })
    // Commander throws instead of printing, so that every fault is printed in one place, above.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => terminal.stdout.columns ?? HELP_COLUMNS,
    });
  for (const { name, description, load } of COMMANDS) {
    const command = program.command(name).description(description);
    if (words.includes(name)) (await load())(command, terminal);
  }
  // The options of a command are unknown until it is loaded.
  return program.configureHelp({ optionDescription, subcommandTerm: (command) => command.name() });
}

/** Compares the name, because importing the class would load all settings. */
function isConfigError(error: unknown): error is ConfigError {
  return error instanceof Error && error.name === 'ConfigError';
}

/** Commander's description, with “(required)” after it if the option is required. */
function optionDescription(option: Option): string {
  const description = Help.prototype.optionDescription.call(new Help(), option);
  return option.mandatory && option.defaultValue === undefined ? `${description} (required)` : description;
}

function messageOf(error: unknown, program: Command, words: readonly string[]): string {
  if (isConfigError(error)) return error.message; // a line for each fault
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
