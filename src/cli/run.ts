/** The commands, and what a command line that fails prints. */
import { Command, CommanderError, Help, type Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { giveEachAddressTime } from '../process/address-attempts.ts';
import type { ConfigError } from '../process/config.ts';
import { PrintedFailure, type Terminal } from './terminal.ts';

/** Adds its options, subcommands and actions to a command of the program. */
type AddTo = (command: Command, terminal: Terminal) => void;

/**
 * Only the requested command is loaded, with all that it needs: loading takes much longer than running most commands.
 */
const COMMANDS: Readonly<Record<string, [description: string, load: () => Promise<{ addTo: AddTo }>]>> = {
  start: ['runs the server in its ROLE (api, worker or all)', async () => import('./commands/start.ts')],
  migrate: ['migrates the database schema, as every start does', async () => import('./commands/migrate.ts')],
  apps: ['manages the apps that this server pushes for', async () => import('./commands/apps.ts')],
  keys: ['manages API keys', async () => import('./commands/keys.ts')],
  credentials: [
    'stores the credentials of an app; servers use new ones without a restart',
    async () => import('./commands/credentials.ts'),
  ],
  identity: [
    'says whether the phones of an app must prove their user, and by which keys',
    async () => import('./commands/identity.ts'),
  ],
  console: ['manages the users of the console', async () => import('./commands/console.ts')],
  gateways: [
    "shows and resumes an app's routes to Apple and Google",
    async () => import('./commands/gateways.ts'),
  ],
  secret: ['manages the key that encrypts stored credentials', async () => import('./commands/secret.ts')],
  devices: ['manages the devices of an app', async () => import('./commands/devices.ts')],
  status: [
    'lists what is wrong with the servers and their sending now; exits with 1 if anything is',
    async () => import('./commands/status.ts'),
  ],
  doctor: [
    'checks settings, Postgres, Redis, gateways, clock and credentials, and says what to do',
    async () => import('./commands/doctor.ts'),
  ],
  simulator: [
    'runs local stand-ins for Apple, Google and browsers that can inject faults',
    async () => import('./commands/simulator.ts'),
  ],
  demo: [
    'runs a server, the simulator and sample devices, and sends one notification',
    async () => ({
      addTo: (demo, terminal) =>
        demo.action(async () => (await import('./demo/run-demo.ts')).runDemo(terminal)),
    }),
  ],
};

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
  // Without “help”, which only asks for the help of the command after it.
  const requested = words.find((word) => !word.startsWith('-') && word !== 'help');
  for (const [name, [description, load]] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(description);
    if (name === requested) (await load()).addTo(command, terminal);
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
