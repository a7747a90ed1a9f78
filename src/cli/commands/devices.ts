import type { Command } from 'commander';
import { openTokenKeys } from '../../apps/token-keys.ts';
import { systemClock } from '../../clock.ts';
import { commandLine } from '../../audit/author.ts';
import { recordChange } from '../../audit/record.ts';
import { parseInstant } from '../../time/instant.ts';
import { restoreTokens } from '../../devices/tokens/restore.ts';
import { requireApp } from './apps.ts';
import { addImportCommand } from './devices-import.ts';
import { print } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import { withResources } from '../with-resources.ts';

export function addTo(devices: Command, terminal: Terminal): void {
  addRestoreCommand(devices, terminal);
  addImportCommand(devices, terminal);
}

interface RestoreWords {
  app: string;
  since?: string;
  reason?: string;
  dryRun?: boolean;
  json?: boolean;
}

function addRestoreCommand(devices: Command, terminal: Terminal): void {
  devices
    .command('restore')
    .description('gives devices without a push token back the token that was retired in the last 30 days')
    .requiredOption('--app <id>', 'bundle id of the app')
    .option('--since <time>', 'only tokens retired since then: ISO 8601, UTC unless it has an offset')
    .option(
      '--reason <reason>',
      'only tokens that the gateway refused with this reason, such as BadDeviceToken',
    )
    .option('--dry-run', 'count the tokens and change nothing')
    .option('--json', 'print one JSON value')
    .action(async (words: RestoreWords) => {
      const since = words.since === undefined ? undefined : parseInstant(words.since);
      if (words.since !== undefined && since === undefined) {
        throw new Error('--since must be an ISO 8601 date or date-time');
      }
      await withResources(terminal, async (resources) => {
        const { db, secret } = resources;
        const { id: appId } = await requireApp(resources, words.app);
        const tokenKey = await openTokenKeys(db, secret).of(appId);
        const isDryRun = words.dryRun === true;
        const options = { appId, tokenKey, since, reason: words.reason, isDryRun };
        const { restored, withAnotherToken } = await restoreTokens(db, options, systemClock);
        if (!isDryRun) {
          const change = { appId, action: 'devices.tokens_restored', after: { restored } } as const;
          await recordChange(db, commandLine, change, systemClock);
        }
        print(terminal, words.json, { restored, with_another_token: withAnotherToken, dry_run: isDryRun }, [
          `${restored} devices ${isDryRun ? 'would get' : 'got'} their push token back, ` +
            `${withAnotherToken} have another token and keep it`,
        ]);
      });
    });
}
