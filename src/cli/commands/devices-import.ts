import {
  convertExport,
  emptyExportReport,
  type ExportReport,
  listed,
  type ServiceName,
  serviceNames,
} from '@carillon/import-formats';
import { plainText } from '@carillon/import-formats/plain-text';
import { type Command, Option } from 'commander';
import { openTokenKeys } from '../../apps/token-keys.ts';
import { commandLine } from '../../audit/author.ts';
import { systemClock } from '../../clock.ts';
import { readLines, type Line } from '../../json/lines.ts';
import { LINE_BYTES_MAX } from '../../devices/import/device-line.ts';
import { checkLines, importLines, recordedImport } from '../../devices/import/import.ts';
import { deviceRules } from '../../devices/import/device-rules.ts';
import type { ImportReport } from '../../devices/import/report.ts';
import { observeNothing } from '../../observe.ts';
import { learnTimeZones } from '../../process/known-zones.ts';
import { requireApp } from './apps.ts';
import { print } from '../print.ts';
import { withInput, withProgressBar } from '../read-chunks.ts';
import type { Terminal } from '../terminal.ts';
import { withResources } from '../with-resources.ts';

interface ImportWords {
  app: string;
  from?: ServiceName;
  dryRun?: boolean;
  json?: boolean;
}

export function addImportCommand(devices: Command, terminal: Terminal): void {
  devices
    .command('import')
    .description(
      'registers one device per line, or the devices in an export of another service; lines that ' +
        'cannot be used do not affect the others, and a second run changes nothing',
    )
    .requiredOption('--app <id>', 'bundle id of the app')
    .addOption(
      new Option('--from <service>', 'the service whose export the file is, compressed or not').choices(
        serviceNames,
      ),
    )
    .argument('<file>', 'newline-delimited JSON, one device per line, or the export; - for standard input')
    .option('--dry-run', 'check the file and store nothing')
    .option('--json', 'print one JSON value')
    .action(async (file: string, words: ImportWords) => {
      await withInput(terminal, file, async ({ chunks, bytes }) => {
        const found = emptyExportReport();
        const shown = withProgressBar(terminal, chunks, bytes);
        const lines =
          words.from === undefined
            ? readLines(plainText(shown), LINE_BYTES_MAX)
            : convertExport(words.from, shown, found, deviceRules);
        const usable =
          words.dryRun === true
            ? await checkFile(terminal, words, lines, found)
            : await storeFile(terminal, words, lines, found);
        if (usable === 0) {
          const outcome = words.dryRun === true ? 'nothing could be imported' : 'nothing was imported';
          throw new Error(`${outcome}: no valid device in ${file === '-' ? 'standard input' : file}`);
        }
      });
    });
}

/** @returns how many devices of the file the app now has */
async function storeFile(
  terminal: Terminal,
  words: ImportWords,
  lines: AsyncIterable<readonly Line[]>,
  found: ExportReport,
): Promise<number> {
  let usable = 0;
  await withResources(terminal, async (resources) => {
    const app = await requireApp(resources, words.app);
    const { db } = resources;
    await learnTimeZones(db, observeNothing);
    const tokenKeys = openTokenKeys(db, resources.secret);
    const result = await recordedImport(db, app.id, commandLine, systemClock, async () =>
      importLines(db, tokenKeys, app.id, lines, systemClock),
    );
    const { imported, updated, unchanged, rejected_count: rejected } = result;
    usable = imported + updated + unchanged;
    const counts = `${imported} imported, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected${ignoredOf(result)}`;
    printOutcome(terminal, words, { result, counts, rejections: result, found });
  });
  return usable;
}

/** @returns how many devices are valid */
async function checkFile(
  terminal: Terminal,
  words: ImportWords,
  lines: AsyncIterable<readonly Line[]>,
  found: ExportReport,
): Promise<number> {
  const { valid, ...rejections } = await checkLines(lines);
  const counts = `${valid} valid, ${rejections.rejected_count} would be rejected${ignoredOf(rejections)}; nothing was stored`;
  printOutcome(terminal, words, {
    result: { dry_run: true, valid, ...rejections },
    counts,
    rejections,
    found,
  });
  return valid;
}

interface Outcome {
  result: object;
  counts: string;
  rejections: Pick<ImportReport, 'rejected' | 'rejected_count' | 'ignored' | 'ignored_count'>;
  found: ExportReport;
}

function printOutcome(
  terminal: Terminal,
  { from, json }: ImportWords,
  { result, counts, rejections, found }: Outcome,
): void {
  printRejected(terminal, rejections);
  if (from === undefined) {
    print(terminal, json, result, [counts]);
    return;
  }
  const leftOut = listed(found.leftOut);
  const notMapped = listed(found.notMapped);
  const leftOutCount = leftOut.reduce((sum, { count }) => sum + count, 0);
  const value = {
    read: found.read,
    ...result,
    left_out_count: leftOutCount,
    left_out: leftOut,
    not_mapped: notMapped,
  };
  print(terminal, json, value, [
    `${found.read} read, ${counts}, ${leftOutCount} left out`,
    ...leftOut.map(
      ({ reason, count, lines }) =>
        `left out: ${count} (${lines.length < count ? 'first lines' : 'lines'} ${lines.join(', ')}): ${reason}`,
    ),
    ...notMapped.map(({ field, reason, count }) => `not mapped: ${field} of ${count}: ${reason}`),
  ]);
}

function ignoredOf({ ignored_count: count = 0 }: Outcome['rejections']): string {
  return count === 0 ? '' : `, ${count} values left out`;
}

function printRejected(
  { stderr }: Terminal,
  { rejected, rejected_count, ignored = [], ignored_count = 0 }: Outcome['rejections'],
): void {
  const lines = rejected.map(({ line, error }) => `line ${line}: ${error}\n`);
  const more = rejected_count - rejected.length;
  if (more > 0) lines.push(`and ${more} more lines were rejected\n`);
  for (const { line, path, message } of ignored) lines.push(`line ${line}: left out: ${path} ${message}\n`);
  const moreValues = ignored_count - ignored.length;
  if (moreValues > 0) lines.push(`and ${moreValues} more values were left out\n`);
  stderr.write(lines.join(''));
}
