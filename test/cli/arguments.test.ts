import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { useCarillon } from '../support/processes.ts';

const carillon = useCarillon();
let dataDir: string;

beforeAll(async () => {
  dataDir = await carillon.makeDir();
});

test.each<[words: string, line: string]>([
  ['aps', "unknown command 'aps' (Did you mean apps?)"],
  ['apps', 'a command is missing'],
  ['apps lst', "unknown command 'lst' (Did you mean list?)"],
  ['apps list --jsn', "unknown option '--jsn' (Did you mean --json?)"],
  ['apps list all', "too many arguments for 'list'. Expected 0 arguments but got 1: all"],
  ['apps create --bundle-id com.example.app', "required option '--name <name>' not specified"],
  ['apps create --name', "option '--name <name>' argument missing"],
  ['keys revoke', "missing required argument 'key-id'"],
  [
    'simulator --port x',
    "option '--port <number>' argument 'x' is invalid. It is not a port from 0 to 65529",
  ],
])('wrong arguments exit with 1 and one line: carillon %s', async (words, line) => {
  expect(await runCommand(words.split(' '), { DATA_DIR: dataDir })).toEqual({
    code: 1,
    stdout: '',
    stderr: `carillon: ${line}; add --help for the usage\n`,
  });
});

test.each([
  ['', 'Usage: carillon ', 'credentials'],
  ['--help', 'Usage: carillon ', 'credentials'],
  ['help keys', 'Usage: carillon keys ', 'revoke'],
  ['help console', 'Usage: carillon console ', 'invite'],
  ['credentials apns --help', 'Usage: carillon credentials apns ', '--key-file'],
])('"carillon %s" shows the usage, with what can be asked for', async (words, usage, part) => {
  const exit = await runCommand(words === '' ? [] : words.split(' '), { DATA_DIR: dataDir });
  expect(exit).toMatchObject({ code: 0, stderr: '' });
  expect(exit.stdout.startsWith(usage)).toBe(true);
  expect(exit.stdout).toContain(part);
});

test.each(['start', 'migrate', 'apps list', 'demo'])(
  'faults in the settings end "carillon %s" with 78, all at once and without a secret',
  async (words) => {
    const settings = {
      DATA_DIR: dataDir,
      PORT: 'http',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'pretty',
      DATABASE_URL: 'mysql://carillon:hunter2@127.0.0.1/carillon',
      SECRET_KEY: 'hunter2',
    };
    const isProcess = words === 'demo'; // it has a handler of signals by then
    const exit = await (isProcess
      ? carillon.run(words.split(' '), settings)
      : runCommand(words.split(' '), settings));
    expect(exit.code).toBe(78);
    const [first, ...faults] = exit.stderr.trimEnd().split('\n');
    expect(first).toBe('carillon: the settings have faults:');
    expect(faults.map((fault) => fault.trim().split(' ', 1).join()).toSorted()).toEqual([
      'DATABASE_URL',
      'LOG_LEVEL',
      'PORT',
      'SECRET_KEY',
    ]);
    expect(exit.stdout + exit.stderr).not.toContain('hunter2');
  },
);

test('a command that lacks several required options names all of them', async () => {
  const exit = await runCommand(['credentials', 'apns', '--app', 'com.example.app'], {});
  expect(exit).toMatchObject({ code: 1, stdout: '' });
  expect(exit.stderr).toMatch(/--key-file <file>.*--key-id <id>.*--team-id <id>.*not specified/);
  expect(exit.stderr).not.toContain('--app');
});

test('"carillon --version" prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await carillon.run(['--version'], {})).toEqual({
    code: 0,
    signal: null,
    stdout: `${version}\n`,
    stderr: '',
  });
});

/** The commands of another, as its usage lists them. */
async function commandsOf(...words: string[]): Promise<string[]> {
  const { stdout } = await runCommand([...words, '--help'], {});
  const [, list = ''] = stdout.split('\nCommands:\n');
  return list.split('\n').filter((line) => /^ {2}\w/.test(line) && !/^ {2}help/.test(line));
}

test('the usage describes every command and marks required options', async () => {
  const lines = await commandsOf();
  expect(lines.length).toBeGreaterThan(8);
  for (const command of ['apps', 'keys', 'credentials', 'secret', 'devices']) {
    lines.push(...(await commandsOf(command)));
  }
  // A name, perhaps its arguments, then words.
  for (const line of lines) expect(line).toMatch(/^ {2}[\w-]+(?: [[<]\S+)* {2,}\w+/);
  const { stdout } = await runCommand(['credentials', 'apns', '--help'], {});
  expect(stdout).toMatch(/--key-file <file> .*\(required\)/);
  expect(stdout).not.toMatch(/--json .*\(required\)/);
});

test('a command that has ended ends its process, even if a library still waits for something', async () => {
  const NODE_OPTIONS = '--import=data:text/javascript,setInterval(()=>undefined,1e6)';
  expect(await carillon.run(['help', 'start'], { NODE_OPTIONS, DATA_DIR: dataDir })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('runs the server'),
  });
  expect(await carillon.run(['aps'], { NODE_OPTIONS, DATA_DIR: dataDir })).toMatchObject({ code: 1 });
});
