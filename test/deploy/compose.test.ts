import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { fencesOf, readPage, ROOT } from '../docs/markdown.ts';
import { dockerfileText, stagesOf } from './dockerfile.ts';
import { knownCommands, knownOptions } from './known-commands.ts';
import { readYaml } from './read-yaml.ts';
import { faultsOf, settingOf, unknownNames } from './settings-given.ts';

const text = z.string();
const serviceSchema = z.looseObject({
  build: z.literal('.').optional(),
  image: text.optional(),
  command: z.array(text).optional(),
  /** Null passes a variable on, if it is set. */
  environment: z.record(text, text.nullable()).default({}),
  secrets: z.array(text).default([]),
  volumes: z.array(text).default([]),
  ports: z.array(text).default([]),
  profiles: z.array(text).default([]),
  read_only: z.boolean().default(false),
  cap_drop: z.array(text).default([]),
  stop_grace_period: text.optional(),
  healthcheck: z
    .union([z.strictObject({ disable: z.literal(true) }), z.looseObject({ test: z.array(text) })])
    .optional(),
  depends_on: z
    .record(text, z.strictObject({ condition: text, required: z.boolean().default(true) }))
    .default({}),
  deploy: z.strictObject({ replicas: z.int() }).optional(),
});
const composeSchema = z.looseObject({
  services: z.record(text, serviceSchema),
  secrets: z.record(text, z.strictObject({ file: text })),
  volumes: z.record(text, z.unknown()),
});

const [document] = readYaml('docker-compose.yml');
const { services, secrets, volumes } = composeSchema.parse(document);
const ours = Object.entries(services).filter(([, { build }]) => build === '.');
/** Those that read the settings. */
const processes = ours.filter(([name]) => name !== 'simulator');
const image = stagesOf(dockerfileText).at(-1);

function service(name: string): z.infer<typeof serviceSchema> {
  return serviceSchema.parse(services[name]);
}

const simulatorEnv = z
  .record(text, text)
  .parse(parseEnv(readFileSync(path.join(ROOT, 'deploy/simulator.env'), 'utf8')));

/** As compose fills in `${NAME:-default}`; the only form that we use. */
function interpolate(value: string, variables: Readonly<Record<string, string>>): string {
  const filled = value.replaceAll(
    /\$\{(\w+):-(\w*)\}/g,
    (_, name: string, byDefault: string) => variables[name] ?? byDefault,
  );
  if (filled.includes('$')) throw new Error(`cannot fill in ${value}`);
  return filled;
}

function environmentOf(name: string, variables: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(service(name).environment).flatMap(([key, value]) => {
    if (value !== null) return [[key, interpolate(value, variables)]];
    const passed = variables[key];
    return passed === undefined ? [] : [[key, passed]];
  });
  return Object.fromEntries(entries);
}

it('docker-compose.yml has Postgres, Redis, a migration, an API, two workers and a simulator', () => {
  expect(Object.keys(services).sort()).toEqual(
    ['api', 'migrate', 'postgres', 'redis', 'simulator', 'worker'].sort(),
  );
  expect(service('worker').deploy).toEqual({ replicas: 2 });
  expect(service('redis').command?.join(' ')).toContain('--appendonly yes');
});

it.each(processes.map(([name]) => name))(
  'docker-compose.yml gives %s only settings that exist and are accepted',
  (name) => {
    for (const variables of [{}, { ...simulatorEnv, GATEWAY_CA_FILE: '' }]) {
      const environment = environmentOf(name, variables);
      expect(unknownNames(environment)).toEqual([]);
      expect(faultsOf(environment)).toEqual([]);
    }
  },
);

it('docker-compose.yml passes a proxy on where there is one', () => {
  const proxy = { HTTPS_PROXY: 'http://proxy.example.com:3128', NO_PROXY: 'simulator' };
  for (const [name] of processes) {
    expect(environmentOf(name, proxy)).toMatchObject(proxy);
    expect(faultsOf(environmentOf(name, proxy))).toEqual([]);
    expect(Object.keys(environmentOf(name, {})).filter((given) => given.endsWith('_PROXY'))).toEqual([
      'TRUST_PROXY',
    ]);
  }
});

it('docker-compose.yml needs DATABASE_URL, REDIS_URL and SECRET_KEY: a process without one says so', () => {
  const environment = environmentOf('worker', {});
  const settings = Object.keys(environment).map(settingOf);
  expect(settings).toEqual(expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'SECRET_KEY', 'ROLE']));
  for (const name of ['DATABASE_URL_FILE', 'REDIS_URL', 'SECRET_KEY_FILE']) {
    const without = Object.entries(environment).filter(([given]) => given !== name);
    expect(faultsOf(Object.fromEntries(without)), name).not.toEqual([]);
  }
  expect(unknownNames({ ...environment, REDIS_ADDRESS: 'x', ROLE_FILE: 'x' })).toEqual([
    'REDIS_ADDRESS',
    'ROLE_FILE',
  ]);
});

it('docker-compose.yml hands secrets over as files alone, each of them made in docs/deploy.md', () => {
  const given = Object.entries(services).flatMap(([name, { environment, secrets: mounted }]) =>
    Object.entries(environment)
      .filter(([variable]) => variable.endsWith('_FILE') && variable !== 'GATEWAY_CA_FILE')
      .map(([, file]) => ({ name, mounted, file })),
  );
  expect(given).toHaveLength(2 * processes.length + 1);
  for (const { name, mounted, file } of given) {
    expect(
      mounted.map((secret) => `/run/secrets/${secret}`),
      name,
    ).toContain(file);
  }
  expect(new Set(given.map(({ file }) => path.basename(file ?? '')))).toEqual(new Set(Object.keys(secrets)));
  const shell = fencesOf(readPage('docs/deploy.md')).filter(({ info }) => info === 'sh');
  const made = shell.flatMap((fence) =>
    [...fence.text.matchAll(/> (\S+)$/gm)].map(([, file]) => `./${file}`),
  );
  expect(new Set(made)).toEqual(new Set(Object.values(secrets).map(({ file }) => file)));
});

it('docker-compose.yml runs commands and options that the command line knows', async () => {
  const commands = await knownCommands();
  for (const [name, { command = image?.steps.find(({ keyword }) => keyword === 'CMD')?.words }] of ours) {
    expect(commands, name).toContain(command?.[0]);
    const options = command?.filter((word) => word.startsWith('--')) ?? [];
    if (options.length > 0) {
      expect(await knownOptions(command?.[0] ?? '')).toEqual(expect.arrayContaining(options));
    }
  }
});

it('docker-compose.yml starts nothing before what it needs is healthy, or has come to its end', () => {
  for (const [name, { depends_on: dependencies }] of Object.entries(services)) {
    for (const [needed, { condition }] of Object.entries(dependencies)) {
      const { healthcheck, command, build } = service(needed);
      const ends = command?.[0] === 'migrate';
      expect(condition, `${name} on ${needed}`).toBe(
        ends ? 'service_completed_successfully' : 'service_healthy',
      );
      const hasCheck = ends || build === '.' || (healthcheck !== undefined && 'test' in healthcheck);
      expect(hasCheck, needed).toBe(true);
    }
  }
  for (const name of ['api', 'worker']) {
    expect(Object.keys(service(name).depends_on)).toEqual(expect.arrayContaining(['migrate', 'redis']));
  }
  expect(Object.keys(service('migrate').depends_on)).toContain('postgres');
});

it('docker-compose.yml runs our processes without rights, on a read-only tree, with time to drain', () => {
  for (const [name, of] of ours) {
    expect(of, name).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  }
  for (const [name, { stop_grace_period: grace }] of processes) expect(grace, name).toBe('30s');
});

it('docker-compose.yml opens ports on the loopback alone, and names releases', () => {
  const ports = Object.values(services).flatMap((of) => of.ports);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  const images = Object.values(services).flatMap((of) => of.image ?? []);
  expect(images.filter((name) => !/:\d+$/.test(name))).toEqual([]);
});

it('deploy/simulator.env leads to the simulator that docker-compose.yml starts', () => {
  const { command = [], volumes: mounted, profiles } = service('simulator');
  const option = (name: string): string => command[command.indexOf(name) + 1] ?? '';
  const urls = Object.entries(simulatorEnv).filter(([name]) => name.endsWith('_URL'));
  expect(urls.filter(([, url]) => new URL(url).hostname !== option('--host'))).toEqual([]);
  // The simulator's ports in a row: control, Apple, Apple's sandbox, Google, the channels of both Apples.
  expect(urls.map(([name, url]) => [name, Number(new URL(url).port)])).toEqual([
    ['APNS_CHANNELS_PRODUCTION_URL', 9444],
    ['APNS_CHANNELS_SANDBOX_URL', 9445],
    ['APNS_PRODUCTION_URL', 9441],
    ['APNS_SANDBOX_URL', 9442],
    ['FCM_URL', 9443],
    ['GOOGLE_OAUTH_URL', 9443],
  ]);
  expect(profiles).toEqual([simulatorEnv['COMPOSE_PROFILES']]);

  const directory = path.dirname(simulatorEnv['GATEWAY_CA_FILE'] ?? '');
  expect(directory).toBe(option('--dir'));
  expect(mounted).toEqual([`simulator:${directory}`]);
  for (const [name, of] of processes) expect(of.volumes, name).toEqual([`simulator:${directory}:ro`]);
  expect(Object.keys(volumes)).toContain('simulator');
  expect(JSON.stringify(volumes['simulator'])).toContain('uid=1000,gid=1000');
  expect(image?.steps.find(({ keyword }) => keyword === 'USER')?.text).toBe('1000:1000');
});
