/** Replaces the key that encrypts stored secrets; docs/secrets.md has the steps when servers are running. */
import type { Command } from 'commander';
import { listApps } from '../../apps/apps.ts';
import { resealCredentials } from '../../apps/credentials/store.ts';
import type { SecretKey } from '../../apps/seal.ts';
import { commandLine } from '../../audit/author.ts';
import { recordChange } from '../../audit/record.ts';
import { systemClock } from '../../clock.ts';
import { resealSecondFactors } from '../../console/accounts/second-factor.ts';
import { forgetPreviousKey, replaceSecretKey } from '../../process/secret-key.ts';
import { resealIdentityKeys } from '../../apps/identity/key-store.ts';
import { resealTokenKeys } from '../../apps/token-keys.ts';
import type { Config } from '../../process/config.ts';
import type { Resources } from '../../process/resources.ts';
import { resealWebhookSecrets } from '../../webhooks/webhooks.ts';
import { print } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import { withResources } from '../with-resources.ts';

export function addTo(secret: Command, terminal: Terminal): void {
  secret
    .command('rotate')
    .description('encrypts everything with a new key')
    .option('--json', 'print one JSON value')
    .action(async ({ json }: { json?: boolean }) => {
      await withResources(terminal, async (resources, config) => {
        const resealed = await rotate(config, resources);
        print(terminal, json, { resealed }, [`values encrypted with the new key: ${resealed}`]);
      });
    });
}

/** @returns the number of values that were sealed with the new key */
async function rotate(config: Config, resources: Resources): Promise<number> {
  const { db, secret } = resources;
  const resealAll = async (keys: SecretKey): Promise<number> =>
    db.transaction().execute(async (transaction) => {
      const resealed =
        (await resealCredentials(transaction, keys)) +
        (await resealWebhookSecrets(transaction, keys)) +
        (await resealTokenKeys(transaction, keys)) +
        (await resealIdentityKeys(transaction, keys)) +
        (await resealSecondFactors(transaction, keys));
      for (const { id: appId } of await listApps(transaction)) {
        await recordChange(transaction, commandLine, { appId, action: 'secret_key.replaced' }, systemClock);
      }
      return resealed;
    });

  if (config.secretKey !== undefined) {
    if (secret.previous === undefined) {
      throw new Error('set SECRET_KEY to the new key and SECRET_KEY_PREVIOUS to the current one');
    }
    return resealAll(secret);
  }
  // The key is in a file, and a running server would keep the old key and could no longer decrypt anything.
  if (!(await resources.holdForServer())) {
    throw new Error(`a server is running on ${config.dataDir}; stop it during the rotation`);
  }
  const resealed = await resealAll(await replaceSecretKey(config.dataDir));
  await forgetPreviousKey(config.dataDir);
  return resealed;
}
