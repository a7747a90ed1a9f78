import { type FileHandle, open } from 'node:fs/promises';
import { Presets, SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { openTokenKeys } from '../../apps/token-keys.ts';
import { systemClock } from '../../clock.ts';
import { importDevices } from '../../devices/import/import.ts';
import type { ImportReport } from '../../devices/import/report.ts';
import { parseInstant } from '../../instant.ts';
import { restoreTokens } from '../../devices/tokens/restore.ts';
import { requireApp } from './apps.ts';
import { print } from '../print.ts';
import { unreadable } from '../read-file.ts';
import { withResources } from '../with-resources.ts';

const CHUNK_BYTES = 256 * 1024;

export function addDevicesCommands(program: Command): void {
  const devices = program.command('devices').description('manages the devices of an app');
  addRestoreCommand(devices);
  devices
    .command('import')
    .description(
      'registers one device per line; an invalid line does not affect the others, and a second run changes nothing',
    )
    .requiredOption('--app <id>', 'bundle id of the app')
    .argument('<file>', 'newline-delimited JSON, one device per line; - for standard input')
    .option('--json', 'print one JSON value')
    .action(async (file: string, options: { app: string; json?: boolean }) => {
      await withInput(file, async ({ chunks, bytes }) => {
        await withResources(async (resources) => {
          const app = await requireApp(resources, options.app);
          const result = await importDevices(
            resources.db,
            openTokenKeys(resources.db, resources.secret),
            app.id,
            withProgressBar(chunks, bytes),
            systemClock,
          );
          printRejected(result);
          print(options.json, result, [
            `${result.imported} imported, ${result.updated} updated, ${result.unchanged} unchanged, ` +
              `${result.rejected_count} rejected`,
          ]);
          if (result.imported + result.updated + result.unchanged === 0) {
            throw new Error(`nothing was imported: no valid device in ${nameOf(file)}`);
          }
        });
      });
    });
}

interface RestoreWords {
  app: string;
  since?: string;
  reason?: string;
  dryRun?: boolean;
  json?: boolean;
}

function addRestoreCommand(devices: Command): void {
  devices
    .command('restore')
    .description('gives devices without a push token back the one that was retired in the last 30 days')
    .requiredOption('--app <id>', 'bundle id of the app')
    .option('--since <time>', 'only tokens retired since then: ISO 8601, UTC unless it has an offset')
    .option(
      '--reason <reason>',
      'only tokens that the gateway refused for this reason, such as BadDeviceToken',
    )
    .option('--dry-run', 'count the tokens and change nothing')
    .option('--json', 'print one JSON value')
    .action(async (words: RestoreWords) => {
      const since = words.since === undefined ? undefined : parseInstant(words.since);
      if (words.since !== undefined && since === undefined) {
        throw new Error('--since must be an ISO 8601 date or date-time');
      }
      await withResources(async (resources) => {
        const { db, secret } = resources;
        const { id: appId } = await requireApp(resources, words.app);
        const tokenKey = await openTokenKeys(db, secret).of(appId);
        const isDryRun = words.dryRun === true;
        const options = { appId, tokenKey, since, reason: words.reason, isDryRun };
        const { restored, withAnotherToken } = await restoreTokens(db, options, systemClock);
        print(words.json, { restored, with_another_token: withAnotherToken, dry_run: isDryRun }, [
          `${restored} devices ${isDryRun ? 'would get' : 'got'} their push token back, ` +
            `${withAnotherToken} have another one and keep it`,
        ]);
      });
    });
}

interface Input {
  chunks: AsyncIterable<Uint8Array>;
  /** Undefined for a stream of unknown length. */
  bytes: number | undefined;
}

/** Opens the file before `use` opens the database, so that a wrong name fails at once. */
async function withInput(file: string, use: (input: Input) => Promise<void>): Promise<void> {
  if (file === '-') {
    await use({ chunks: process.stdin, bytes: undefined });
    return;
  }
  const handle = await open(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  try {
    const { size } = await handle.stat();
    await use({ chunks: readChunks(handle), bytes: size });
  } finally {
    await handle.close();
  }
}

async function* readChunks(handle: FileHandle): AsyncGenerator<Uint8Array, void> {
  const stream = handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
  yield* stream;
}

/** Passes the chunks on, and shows on a terminal how much of the input was read. */
async function* withProgressBar(
  chunks: AsyncIterable<Uint8Array>,
  bytes: number | undefined,
): AsyncGenerator<Uint8Array, void> {
  const figures =
    bytes === undefined ? '{value} MB' : '{bar} {percentage}% of {total} MB, {eta_formatted} left';
  const bar = new SingleBar({ format: `Importing ${figures}` }, Presets.shades_classic);
  bar.start(megabytes(bytes ?? 0), 0);
  let taken = 0;
  try {
    for await (const chunk of chunks) {
      yield chunk;
      taken += chunk.length;
      bar.update(megabytes(taken));
    }
  } finally {
    bar.stop();
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}

function printRejected({ rejected, rejected_count }: ImportReport): void {
  const lines = rejected.map(({ line, error }) => `line ${line}: ${error}\n`);
  const more = rejected_count - rejected.length;
  if (more > 0) lines.push(`and ${more} more lines were rejected\n`);
  process.stderr.write(lines.join(''));
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}
