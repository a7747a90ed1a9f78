import path from 'node:path';
import { type Command, Option } from 'commander';
import {
  appleEnvironments,
  describeUse,
  type Refusal,
  refusalOfFcmCredentials,
  refusalOfKey,
  useOfKey,
  useOfFcmCredentials,
} from '../../apps/credentials/ask-gateways.ts';
import {
  checkApnsCredentials,
  type KeyEnvironment,
  keyEnvironments,
  putApnsCredentials,
  putFcmCredentials,
  readCredentials,
} from '../../apps/credentials/store.ts';
import { storeWebPushCredentials } from '../../apps/credentials/accept.ts';
import { checkVapidSubject, readVapidKey } from '../../gateways/web-push/vapid-key.ts';
import { commandLine } from '../../audit/author.ts';
import { recordChange } from '../../audit/record.ts';
import { systemClock } from '../../clock.ts';
import { parseServiceAccount, processIdentity } from '../../gateways/fcm/service-account.ts';
import { requireApp } from './apps.ts';
import { print } from '../print.ts';
import { readGivenFile } from '../read-file.ts';
import type { Terminal } from '../terminal.ts';
import { withResources } from '../with-resources.ts';

const CHECK_HINT = 'store them without asking the gateway whether it accepts them';

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

interface WebPushOptions {
  app: string;
  subject?: string;
  url?: string;
  privateKeyFile?: string;
  replace?: boolean;
  export?: boolean;
  json?: boolean;
}

export function addTo(credentials: Command, terminal: Terminal): void {
  credentials
    .command('apns')
    .description('stores an Apple key, once Apple accepts it')
    .requiredOption('--app <id>', 'bundle id of the app')
    .requiredOption('--key-file <file>', "Apple's .p8 file")
    .requiredOption('--key-id <id>', 'id of the key')
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
    .action(async (options: ApnsOptions) => storeKey(options, terminal));
  credentials
    .command('fcm')
    .description(
      'stores a service account, or the use of the process identity instead, once Google accepts it',
    )
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
    .action(async (options: FcmOptions) => storeFcmCredentials(options, terminal));
  credentials
    .command('web-push')
    .description('makes or imports the VAPID key of an app, with which browsers subscribe')
    .requiredOption('--app <id>', 'bundle id of the app')
    .option('--subject <address>', 'whom push services ask about your pushes: mailto:you@example.com')
    .option('--url <address>', 'where a click on a notification without a url leads')
    .option(
      '--private-key-file <file>',
      'a key that your pages subscribe with already: 43 characters of base64url',
    )
    .option('--replace', 'replaces the stored key: every browser has to subscribe again')
    .addOption(
      new Option('--export', 'prints both keys, for a backup or another server').conflicts([
        'subject',
        'url',
        'privateKeyFile',
        'replace',
      ]),
    )
    .option('--json', 'print one JSON value')
    .action(async (options: WebPushOptions) =>
      options.export === true ? exportVapidKey(options, terminal) : storeVapidKey(options, terminal),
    );
}

async function storeKey(options: ApnsOptions, terminal: Terminal): Promise<void> {
  const { keyId, teamId, environment, keyFile, check, json } = options;
  const privateKey = await readGivenFile(keyFile);
  const key = { keyId, teamId, privateKey };
  const hint = fileNameHint(keyFile, keyId);
  withHint(hint, () => checkApnsCredentials(key));
  await withResources(terminal, async (resources, config) => {
    const { id: appId, bundleId } = await requireApp(resources, options.app);
    const use = check ? await useOfKey(config, bundleId, key, systemClock) : undefined;
    withHint(hint, () => {
      if (use !== undefined) requireAccepted('Apple', refusalOfKey(use, environment));
    });
    const given = { appId, ...key, environment };
    await putApnsCredentials(resources.db, resources.secret, given, systemClock, commandLine);
    const stored = { bundle_id: bundleId, gateway: 'apns', environment };
    const goodFor = use && appleEnvironments.filter((name) => use[name].result === 'good');
    print(terminal, json, { ...stored, good_for: goodFor ?? null }, [
      `stored the APNs key of ${bundleId}${environment === 'all' ? '' : ` for ${environment}`}`,
      use === undefined ? 'not checked with Apple' : `accepted by Apple: ${describeUse(use)}`,
    ]);
    if (use === undefined && hint !== undefined) terminal.stderr.write(`${hint}\n`);
  });
}

async function storeFcmCredentials(options: FcmOptions, terminal: Terminal): Promise<void> {
  const { check, json } = options;
  const given = await givenFcmCredentials(options);
  const isKey = 'serviceAccount' in given;
  const credentials = isKey ? parseServiceAccount(given.serviceAccount) : processIdentity(given.projectId);
  const name = isKey ? 'service account' : 'identity of this process';
  await withResources(terminal, async (resources, config) => {
    const { id: appId, bundleId } = await requireApp(resources, options.app);
    const use = check ? await useOfFcmCredentials(config, credentials, systemClock) : undefined;
    if (use !== undefined) requireAccepted('Google', refusalOfFcmCredentials(use, name));
    await putFcmCredentials(resources.db, resources.secret, { appId, ...given }, systemClock, commandLine);
    const project = credentials.project_id;
    print(terminal, json, { bundle_id: bundleId, gateway: 'fcm', project, checked: use !== undefined }, [
      isKey ? `stored the service account of ${bundleId}` : `pushes to ${bundleId} will use the ${name}`,
      use === undefined ? 'not checked with Google' : `accepted by Google for the project ${project}`,
    ]);
  });
}

async function storeVapidKey(options: WebPushOptions, terminal: Terminal): Promise<void> {
  const { subject, url, privateKeyFile: file, replace = false, json } = options;
  if (subject === undefined) throw new Error('give --subject, or --export');
  checkVapidSubject(subject);
  const given = file === undefined ? undefined : readVapidKey(await readGivenFile(file)).privateKey;
  await withResources(terminal, async (resources) => {
    const { id: appId, bundleId } = await requireApp(resources, options.app);
    const body = {
      subject,
      replace,
      ...(url !== undefined && { url }),
      ...(given !== undefined && { private_key: given }),
    };
    const deps = { db: resources.db, secret: resources.secret, clock: systemClock };
    const { public_key: key } = await storeWebPushCredentials(deps, { appId, bundleId }, body, commandLine);
    print(terminal, json, { bundle_id: bundleId, gateway: 'web_push', public_key: key }, [
      `stored the VAPID key of ${bundleId}; pages subscribe with its public key:`,
      key,
    ]);
    terminal.stderr.write(
      'Without this key no browser can be reached: keep a backup of the database, or of carillon credentials web-push --export.\n',
    );
  });
}

async function exportVapidKey({ app, json }: WebPushOptions, terminal: Terminal): Promise<void> {
  await withResources(terminal, async ({ db, secret, ...resources }) => {
    const { id: appId, bundleId } = await requireApp({ db, secret, ...resources }, app);
    const { web_push: key } = await readCredentials(db, secret, appId, ['web_push']);
    if (key === undefined) throw new Error(`${bundleId} has no VAPID key`);
    const change = { appId, action: 'credentials.exported', objectId: 'web_push' } as const;
    await recordChange(db, commandLine, change, systemClock);
    print(terminal, json, { public_key: key.publicKey, private_key: key.privateKey }, [
      `public key:  ${key.publicKey}`,
      `private key: ${key.privateKey}`,
    ]);
    terminal.stderr.write(
      'Anybody with the private key can send to every browser of the app: keep it as a password.\n',
    );
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

/** @throws {Error} with a message for the user if there is a refusal */
function requireAccepted(gateway: string, refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  const { result, why, goodFor } = refusal;
  const other = goodFor === undefined ? '' : `; it can be stored with --environment ${goodFor}`;
  const hint = result === 'unknown' ? '; retry, or add --no-check' : other;
  throw new Error(`nothing was stored: ${gateway} ${why}${hint}`);
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
