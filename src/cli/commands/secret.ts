/** Replaces the key that encrypts stored secrets; docs/secrets.md has the steps when servers are running. */
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
    .description('manages the key that encrypts stored credentials')
    .command('rotate')
    .description('encrypts everything with a new key')
    .option('--json', 'print one JSON value')
    .action(async ({ json }: { json?: boolean }) => {
      const config = readConfig(process.env);
      const resources = await openResources(config, observeNothing);
      try {
        const resealed = await rotate(config, resources);
        print(json, { resealed }, [`values encrypted with the new key: ${resealed}`]);
      } finally {
        await resources.close();
      }
    });
}

/** @returns the number of values that were sealed with the new key */
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
      throw new Error('set SECRET_KEY to the new key and SECRET_KEY_PREVIOUS to the current one');
    }
    return resealAll(secret);
  }
  // The key is in a file. A running server still has the old key, and could no longer decrypt anything.
  if (!(await resources.claimForServer())) {
    throw new Error(`a server is running on ${config.dataDir}; stop it during the rotation`);
  }
  const resealed = await resealAll(await replaceSecretKey(config.dataDir));
  await forgetPreviousKey(config.dataDir);
  return resealed;
}
