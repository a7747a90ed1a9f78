/** Proof of users: whether the phones of an app must bring user tokens, and the keys that check these. */
import { type Command, Option } from 'commander';
import type { App } from '../../apps/apps.ts';
import { removeIdentityKey, storeIdentityKey } from '../../apps/identity/key-store.ts';
import { type Algorithm, algorithms, parseIdentityKeyBody } from '../../apps/identity/key.ts';
import { type IdentityMode, identityModes, readIdentity, setIdentityMode } from '../../apps/identity/mode.ts';
import { commandLine } from '../../audit/author.ts';
import { systemClock } from '../../clock.ts';
import type { Resources } from '../../process/resources.ts';
import { print } from '../print.ts';
import { readGivenFile } from '../read-file.ts';
import type { Terminal } from '../terminal.ts';
import { withResources } from '../with-resources.ts';
import { requireApp } from './apps.ts';

interface Options {
  app: string;
  json?: boolean;
}

export function addTo(identity: Command, terminal: Terminal): void {
  /** Makes the change, then prints what holds. */
  const run = async (
    { app: idOrBundleId, json }: Options,
    change: (resources: Resources, app: App) => Promise<void> = async () => undefined,
  ): Promise<void> =>
    withResources(terminal, async (resources) => {
      const app = await requireApp(resources, idOrBundleId);
      await change(resources, app);
      const { mode, keys, devices } = await readIdentity(resources.db, app.id);
      print(terminal, json, { bundle_id: app.bundleId, mode, keys, devices }, [
        `${app.bundleId}: ${mode}`,
        ...keys.map((key) => `key ${key.key_id}: ${key.algorithm}, stored ${key.created_at}`),
        `of ${devices.sampled} devices, ${devices.with_user} have a user, and ${devices.verified} of those a verified one`,
      ]);
    });
  const command = (name: string, description: string): Command =>
    identity
      .command(name)
      .description(description)
      .requiredOption('--app <id>', 'bundle id of the app')
      .option('--json', 'print one JSON value');

  command('show', 'shows the mode, the keys, and the share of verified devices').action(
    async (options: Options) => run(options),
  );
  command('mode', 'sets whether phones that name a user must bring a user token')
    .addOption(
      new Option('--mode <mode>', 'report only counts who would be refused')
        .choices(identityModes)
        .makeOptionMandatory(),
    )
    .action(async (options: Options & { mode: IdentityMode }) =>
      run(options, async ({ db }, { id }) => setIdentityMode(db, id, options.mode, systemClock, commandLine)),
    );
  command('add-key', 'stores a key that checks user tokens')
    .requiredOption('--key-id <id>', 'kid in the header of the tokens')
    .addOption(new Option('--algorithm <name>', 'of its tokens').choices(algorithms).makeOptionMandatory())
    .requiredOption('--key-file <file>', 'the public key (PEM or JWK), or the secret in base64')
    .action(async (options: Options & { keyId: string; algorithm: Algorithm; keyFile: string }) => {
      const { algorithm, keyId, keyFile } = options;
      const sent = { identity_key: { key_id: keyId, algorithm, key: await readGivenFile(keyFile) } };
      const key = parseIdentityKeyBody(sent);
      await run(options, async ({ db, secret }, { id }) =>
        storeIdentityKey(db, secret, id, key, systemClock, commandLine),
      );
    });
  command('remove-key', 'removes a key; its tokens are refused within two seconds')
    .requiredOption('--key-id <id>', 'kid in the header of the tokens')
    .action(async (options: Options & { keyId: string }) =>
      run(options, async ({ db }, { id }) =>
        removeIdentityKey(db, { appId: id, keyId: options.keyId }, systemClock, commandLine),
      ),
    );
}
