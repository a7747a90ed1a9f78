import path from 'node:path';
import { type Command, Option } from 'commander';
import {
  checkApnsCredentials,
  type KeyEnvironment,
  keyEnvironments,
  putApnsCredentials,
  putFcmCredentials,
} from '../../apps/credentials.ts';
import { systemClock } from '../../clock.ts';
import { readConfig } from '../../process/config.ts';
import {
  adviceFor,
  appleEnvironments,
  describeProbe,
  describeUse,
  environmentsOf,
  type KeyUse,
  useOfKey,
  useOfFcmCredentials,
} from '../../doctor/credential-use.ts';
import { parseServiceAccount, processIdentity } from '../../gateways/fcm/service-account.ts';
import type { Probe } from '../../gateways/probe.ts';
import { requireApp } from './apps.ts';
import { print } from '../print.ts';
import { readGivenFile } from '../read-file.ts';
import { withResources } from '../with-resources.ts';

const CHECK_HINT = 'do not ask the gateway whether it accepts them before they are stored';

interface ApnsOptions {
  app: string;
  keyFile: string;
  keyId: string;
  teamId: string;
  environment: KeyEnvironment;
  check: boolean;
  json?: boolean;
}

interface FcmOptions {
  app: string;
  serviceAccount?: string;
  applicationDefault?: true;
  project?: string;
  check: boolean;
  json?: boolean;
}

export function addCredentialsCommands(program: Command): void {
  const credentials = program
    .command('credentials')
    .description('stores the credentials of an app; servers use new ones without a restart');
  credentials
    .command('apns')
    .description('stores an Apple key, once Apple accepts it')
    .requiredOption('--app <id>', 'bundle id of the app')
    .requiredOption('--key-file <file>', "Apple's .p8 file")
    .requiredOption('--key-id <id>', 'id of that key')
    .requiredOption('--team-id <id>', 'id of the Apple developer team')
    .addOption(
      new Option(
        '--environment <name>',
        'environment that the key is for; a key for all replaces all other keys',
      )
        .choices(keyEnvironments)
        .default('all'),
    )
    .option('--no-check', CHECK_HINT)
    .option('--json', 'print one JSON value')
    .action(storeKey);
  credentials
    .command('fcm')
    .description('stores a service account, or to use the process identity instead, once Google accepts it')
    .requiredOption('--app <id>', 'bundle id of the app')
    .option('--service-account <file>', "the service account's JSON file")
    .addOption(
      new Option(
        '--application-default',
        'use the identity of the process (workload identity) instead of a key; needs --project',
      ).conflicts('serviceAccount'),
    )
    .addOption(new Option('--project <id>', 'id of the Firebase project').conflicts('serviceAccount'))
    .option('--no-check', CHECK_HINT)
    .option('--json', 'print one JSON value')
    .action(storeFcmCredentials);
}

async function storeKey(options: ApnsOptions): Promise<void> {
  const { keyId, teamId, environment, keyFile, check, json } = options;
  const privateKey = await readGivenFile(keyFile);
  const key = { keyId, teamId, privateKey };
  const hint = fileNameHint(keyFile, keyId);
  withHint(hint, () => checkApnsCredentials(key));
  await withResources(async (resources) => {
    const { id: appId, bundleId } = await requireApp(resources, options.app);
    const use = check ? await useOfKey(readConfig(process.env), bundleId, key, systemClock) : undefined;
    withHint(hint, () => {
      if (use !== undefined) requireGood(use, environment);
    });
    await putApnsCredentials(resources.db, resources.secret, { appId, ...key, environment }, systemClock);
    const stored = { bundle_id: bundleId, gateway: 'apns', environment };
    const goodFor = use && appleEnvironments.filter((name) => use[name].result === 'good');
    print(json, { ...stored, good_for: goodFor ?? null }, [
      `stored the APNs key of ${bundleId}${environment === 'all' ? '' : ` for ${environment}`}`,
      use === undefined ? 'not checked with Apple' : `accepted by Apple: ${describeUse(use)}`,
    ]);
    if (use === undefined && hint !== undefined) process.stderr.write(`${hint}\n`);
  });
}

async function storeFcmCredentials(options: FcmOptions): Promise<void> {
  const { check, json } = options;
  const given = await givenFcmCredentials(options);
  const isKey = 'serviceAccount' in given;
  const credentials = isKey ? parseServiceAccount(given.serviceAccount) : processIdentity(given.projectId);
  const name = isKey ? 'service account' : 'identity of this process';
  await withResources(async (resources) => {
    const { id: appId, bundleId } = await requireApp(resources, options.app);
    const use = check
      ? await useOfFcmCredentials(readConfig(process.env), credentials, systemClock)
      : undefined;
    if (use !== undefined) requireAccepted(use, name);
    await putFcmCredentials(resources.db, resources.secret, { appId, ...given }, systemClock);
    const project = credentials.project_id;
    print(json, { bundle_id: bundleId, gateway: 'fcm', project, checked: use !== undefined }, [
      isKey ? `stored the service account of ${bundleId}` : `pushes to ${bundleId} will use the ${name}`,
      use === undefined ? 'not checked with Google' : `accepted by Google for the project ${project}`,
    ]);
  });
}

async function givenFcmCredentials(
  options: FcmOptions,
): Promise<{ serviceAccount: string } | { projectId: string }> {
  const { serviceAccount, applicationDefault, project } = options;
  if (serviceAccount !== undefined) return { serviceAccount: await readGivenFile(serviceAccount) };
  if (applicationDefault === undefined || project === undefined) {
    throw new Error('give --service-account, or --application-default with --project');
  }
  return { projectId: project };
}

/** @throws {Error} with a message for the user, unless Apple accepts the key in every environment that it is stored for */
function requireGood(use: KeyUse, environment: KeyEnvironment): void {
  const wanted = environmentsOf(environment);
  const good = appleEnvironments.filter((name) => use[name].result === 'good');
  const refused = wanted.map((name) => use[name]).find(({ result }) => result === 'refused');
  if (refused?.result === 'refused') {
    const other = good.length === 1 ? `; it can be stored with --environment ${good.join()}` : '';
    throw notStored(`Apple refuses the key: ${describeUse(use)}; ${adviceFor(refused.reason)}${other}`);
  }
  if (wanted.some((name) => use[name].result !== 'good')) throw notKnown('Apple', describeUse(use));
}

function requireAccepted(use: Probe, name: string): void {
  if (use.result === 'refused') {
    throw notStored(`Google refuses the ${name}: ${use.reason}; ${adviceFor(use.reason)}`);
  }
  if (use.result === 'unknown') throw notKnown('Google', describeProbe(use));
}

function notStored(why: string): Error {
  return new Error(`nothing was stored: ${why}`);
}

function notKnown(gateway: string, use: string): Error {
  return notStored(
    `${gateway} did not say whether it accepts the credentials: ${use}; retry, or add --no-check`,
  );
}

/** Apple names the file after the key. @returns a warning if the file name contains another key id */
function fileNameHint(keyFile: string, keyId: string): string | undefined {
  const named = /^(?:APNs)?AuthKey_([A-Z0-9]{10})\.p8$/.exec(path.basename(keyFile))?.[1];
  if (named === undefined || named === keyId) return undefined;
  return `According to the file name, the key id is ${named}, not ${keyId}.`;
}

function withHint(hint: string | undefined, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (hint !== undefined && error instanceof Error) error.message += ` (${hint})`;
    throw error;
  }
}
