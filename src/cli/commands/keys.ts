import type { Command } from 'commander';
import { createApiKey, listApiKeys, parseKeyName, revokeApiKey } from '../../apps/api-keys.ts';
import { parseScopes } from '../../apps/scopes.ts';
import { commandLine } from '../../audit/author.ts';
import { systemClock } from '../../clock.ts';
import { requireApp } from './apps.ts';
import { print, table } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import { withResources } from '../with-resources.ts';

export function addTo(keys: Command, terminal: Terminal): void {
  keys
    .command('create')
    .description('creates an API key and shows it, only this once')
    .requiredOption('--app <id>', 'bundle id of the app')
    .requiredOption('--scopes <list>', 'any of read,write,register,admin')
    .option('--name <name>', 'a name for people, such as "back end"')
    .option('--json', 'print one JSON value')
    .action(async (options: { app: string; scopes: string; name?: string; json?: boolean }) => {
      const scopes = parseScopes(options.scopes);
      const name = options.name === undefined ? null : parseKeyName(options.name);
      await withResources(terminal, async (resources) => {
        const app = await requireApp(resources, options.app);
        const created = { appId: app.id, scopes, name };
        const { id, key } = await createApiKey(resources.db, created, systemClock, commandLine);
        print(terminal, options.json, { id, key, name, scopes, bundle_id: app.bundleId }, [
          key,
          `(${scopes.join(', ')} for ${app.bundleId}; shown only this once, keep it safe)`,
        ]);
      });
    });
  keys
    .command('list')
    .description('lists all keys: scopes, creation and last use')
    .option('--json', 'print one JSON value')
    .action(async (options: { json?: boolean }) => {
      await withResources(terminal, async ({ db }) => {
        const all = await listApiKeys(db);
        print(
          terminal,
          options.json,
          all,
          table([
            ['ID', 'NAME', 'APP', 'SCOPES', 'CREATED', 'LAST USED', 'REVOKED'],
            ...all.map((key) => [
              key.id,
              key.name ?? '',
              key.bundle_id,
              key.scopes.join(','),
              key.created_at.toISOString(),
              key.last_used_at?.toISOString() ?? 'never',
              key.revoked_at?.toISOString() ?? '',
            ]),
          ]),
        );
      });
    });
  keys
    .command('revoke')
    .description('revokes a key')
    .argument('<key-id>', 'id of the key, from "carillon keys list"')
    .option('--json', 'print one JSON value')
    .action(async (keyId: string, options: { json?: boolean }) => {
      await withResources(terminal, async ({ db }) => {
        if (!(await revokeApiKey(db, keyId, systemClock, { author: commandLine }))) {
          throw new Error(`there is no key ${keyId}; see "carillon keys list"`);
        }
        print(terminal, options.json, { id: keyId, revoked: true }, [`revoked ${keyId}`]);
      });
    });
}
