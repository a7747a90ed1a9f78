/** Replaces the key that seals credentials: docs/secrets.md says in which order, beside running servers. */
import type { Command } from 'commander';
import { resealCredentials } from '../../apps/credentials.ts';
import type { SecretKey } from '../../apps/seal.ts';
import { forgetPreviousKey, replaceSecretKey } from '../../process/secret-key.ts';
import { resealTokenKeys } from '../../apps/token-keys.ts';
import { type Config, readConfig } from '../../process/config.ts';
import { observeNothing } from '../../observe.ts';
import { openResources, type Resources } from '../../process/resources.ts';
import { resealWebhookSecrets } from '../../webhooks/webhooks.ts';
import { print } from '../print.ts';

export function addSecretCommand(program: Command): void {
  program
    .command('secret')
    .description('the key that seals credentials')
    .command('rotate')
    .description('seal everything with a new key')
    .option('--json', 'print one JSON value')
    .action(async ({ json }: { json?: boolean }) => {
      const config = readConfig(process.env);
      const resources = await openResources(config, observeNothing);
      try {
        const resealed = await rotate(config, resources);
        print(json, { resealed }, [`sealed with the new key: ${resealed}`]);
      } finally {
        await resources.close();
      }
    });
}

/** @returns how many values are sealed with the new key now */
async function rotate(config: Config, resources: Resources): Promise<number> {
  const { db, secret } = resources;
  const resealAll = async (keys: SecretKey): Promise<number> =>
    db
      .transaction()
      .execute(
        async (transaction) =>
          (await resealCredentials(transaction, keys)) +
          (await resealWebhookSecrets(transaction, keys)) +
          (await resealTokenKeys(transaction, keys)),
      );

  if (config.secretKey !== undefined) {
    if (secret.previous === undefined) {
      throw new Error('set SECRET_KEY to the new key and SECRET_KEY_PREVIOUS to the one until now');
    }
    return resealAll(secret);
  }
  // The key is in a file: a server that runs has read the one until now, and would open nothing any more.
  if (!(await resources.claimForServer())) {
    throw new Error(`a server is running on ${config.dataDir}; stop it for this moment`);
  }
  const resealed = await resealAll(await replaceSecretKey(config.dataDir));
  await forgetPreviousKey(config.dataDir);
  return resealed;
}
