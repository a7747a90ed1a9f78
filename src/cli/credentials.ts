import { type Command, Option } from 'commander';
import {
  type KeyEnvironment,
  keyEnvironments,
  putApnsCredentials,
  putFcmCredentials,
} from '../apps/credentials.ts';
import { systemClock } from '../clock.ts';
import { requireApp } from './apps.ts';
import { print } from './print.ts';
import { readGivenFile } from './read-file.ts';
import { withResources } from './with-resources.ts';

export function addCredentialsCommands(program: Command): void {
  const credentials = program
    .command('credentials')
    .description('what lets an app in at the gateways; replaced without a restart');
  credentials
    .command('apns')
    .description("stores a key of Apple's")
    .requiredOption('--app <id>', 'bundle id of the app')
    .requiredOption('--key-file <file>', "Apple's .p8 file")
    .requiredOption('--key-id <id>', 'the id of that key')
    .requiredOption('--team-id <id>', 'the id of the Apple developer team')
    .addOption(
      new Option('--environment <name>', 'what the key is good for: one for all replaces every other')
        .choices(keyEnvironments)
        .default('all'),
    )
    .option('--json', 'print one JSON value')
    .action(
      async (options: {
        app: string;
        keyFile: string;
        keyId: string;
        teamId: string;
        environment: KeyEnvironment;
        json?: boolean;
      }) => {
        const privateKey = await readGivenFile(options.keyFile);
        await withResources(async (resources) => {
          const { id: appId, bundleId } = await requireApp(resources, options.app);
          const { keyId, teamId, environment } = options;
          await putApnsCredentials(
            resources.db,
            resources.secret,
            { appId, keyId, teamId, privateKey, environment },
            systemClock,
          );
          print(options.json, { bundle_id: bundleId, gateway: 'apns', environment }, [
            `sealed the APNs key of ${bundleId}${environment === 'all' ? '' : ` for ${environment}`}`,
          ]);
        });
      },
    );
  credentials
    .command('fcm')
    .description("stores a service account of Google's")
    .requiredOption('--app <id>', 'bundle id of the app')
    .requiredOption('--service-account <file>', "the service account's JSON file")
    .option('--json', 'print one JSON value')
    .action(async (options: { app: string; serviceAccount: string; json?: boolean }) => {
      const serviceAccount = await readGivenFile(options.serviceAccount);
      await withResources(async (resources) => {
        const { id: appId, bundleId } = await requireApp(resources, options.app);
        await putFcmCredentials(resources.db, resources.secret, { appId, serviceAccount }, systemClock);
        print(options.json, { bundle_id: bundleId, gateway: 'fcm' }, [
          `sealed the service account of ${bundleId}`,
        ]);
      });
    });
}
