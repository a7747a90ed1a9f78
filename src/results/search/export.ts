/** Writes the outcomes of all devices of a notification as lines, slice by slice, in bounded memory. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';
import { type FoundDelivery, outcomeFilter, outcomesAfter, withDevices } from './search.ts';

const formats = ['ndjson', 'csv'] as const;

export const exportQuery = z.object({
  ...outcomeFilter,
  format: z
    .enum(formats, 'must be ndjson or csv')
    .describe('`csv` has a line with the names of the columns first.')
    .default('ndjson'),
});

const columns = [
  'device_id',
  'outcome',
  'reason',
  'at',
  'platform',
  'gateway',
  'app_version',
  'variant',
  'user_id',
  'marketing_name',
] as const satisfies (keyof FoundDelivery)[];

/**
 * @returns chunks of many lines. It resolves with the first chunk ready, so a missing notification is an error of the
 *   call
 * @throws {ApiError} `not_found`
 */
export async function exportOutcomes(
  db: Kysely<Database>,
  key: NotificationKey,
  { format, ...filter }: z.output<typeof exportQuery>,
): Promise<AsyncIterable<string>> {
  const ranges = outcomesAfter(db, key, undefined, filter);
  const write = format === 'csv' ? csvLine : jsonLine;
  const head = format === 'csv' ? `${columns.join(',')}\r\n` : '';
  const first = await ranges.next();
  return chunks();

  async function* chunks(): AsyncGenerator<string, void> {
    if (head !== '') yield head;
    try {
      for (let next = first; next.done !== true; next = await ranges.next()) {
        const found = await withDevices(db, key.appId, next.value.outcomes, filter);
        if (found.length > 0) yield found.map(write).join('');
      }
    } finally {
      await ranges.return();
    }
  }
}

function jsonLine(found: FoundDelivery): string {
  return `${JSON.stringify(found)}\n`;
}

function csvLine(found: FoundDelivery): string {
  return `${columns.map((name) => csvCell(found[name] ?? '')).join(',')}\r\n`;
}

/** RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe: apps choose their versions themselves. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
