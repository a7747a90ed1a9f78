import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { putApnsCredentials, putFcmCredentials } from '../apps/credentials.ts';
import { systemClock } from '../clock.ts';
import { requireApp } from './apps.ts';
import { print } from './print.ts';
import { withResources } from './with-resources.ts';

export function addCredentialsCommands(program: Command): void {
  const credentials = program
    .command('credentials')
    .description('what lets an app in at the gateways; replaced without a restart');
  credentials
    .command('apns')
    .requiredOption('--app <id>', 'bundle id of the app')
    .requiredOption('--key-file <file>', "Apple's .p8 file")
    .requiredOption('--key-id <id>', 'the id of that key')
    .requiredOption('--team-id <id>', 'the id of the Apple developer team')
    .option('--json', 'print one JSON value')
    .action(
      async (options: { app: string; keyFile: string; keyId: string; teamId: string; json?: boolean }) => {
        const privateKey = await readFile(options.keyFile, 'utf8');
        await withResources(async (resources) => {
          const { id: appId, bundleId } = await requireApp(resources, options.app);
          const { keyId, teamId } = options;
          await putApnsCredentials(
            resources.db,
            resources.secret,
            { appId, keyId, teamId, privateKey },
            systemClock,
          );
          print(options.json, { bundle_id: bundleId, gateway: 'apns' }, [
            `sealed the APNs key of ${bundleId}`,
          ]);
        });
      },
    );
  credentials
    .command('fcm')
    .requiredOption('--app <id>', 'bundle id of the app')
    .requiredOption('--service-account <file>', "the service account's JSON file")
    .option('--json', 'print one JSON value')
    .action(async (options: { app: string; serviceAccount: string; json?: boolean }) => {
      const serviceAccount = await readFile(options.serviceAccount, 'utf8');
      await withResources(async (resources) => {
        const { id: appId, bundleId } = await requireApp(resources, options.app);
        await putFcmCredentials(resources.db, resources.secret, { appId, serviceAccount }, systemClock);
        print(options.json, { bundle_id: bundleId, gateway: 'fcm' }, [
          `sealed the service account of ${bundleId}`,
        ]);
      });
    });
}
