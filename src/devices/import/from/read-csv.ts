/** Reads the records of an export in CSV. */
import { pipeline, Readable } from 'node:stream';
import { type CsvError, type InfoRecord, parse } from 'csv-parse';
import { RECORD_BYTES_MAX } from './read-json.ts';
import type { Fields, SourceRecord } from './service.ts';

const RECORDS_PER_GROUP = 100;

/**
 * A row that cannot be read has no fields. Rows are numbered by the line on which they end.
 * @param checkHeader throws if the columns are not those of the service
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  checkHeader: (columns: readonly string[]) => void,
): AsyncGenerator<SourceRecord[], void> {
  let group: SourceRecord[] = [];
  let isHeaderRead = false;
  let faultyLine = 0; // a row may have several faults
  const parser = parse({
    bom: true,
    columns: (header: string[]) => {
      checkHeader(header);
      isHeaderRead = true;
      return header;
    },
    max_record_size: RECORD_BYTES_MAX,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined) => {
      const line = Number(error?.['lines'] ?? 1);
      if (line > faultyLine) group.push({ line, fields: undefined });
      faultyLine = line;
      return undefined;
    },
    on_record: (fields: Fields, { lines }: InfoRecord): SourceRecord => ({ line: lines, fields }),
  });
  // Errors of the file and of the parser are thrown where the records are read.
  const records: AsyncIterable<SourceRecord> = pipeline(Readable.from(chunks), parser, () => undefined);
  for await (const record of records) {
    group.push(record);
    if (group.length < RECORDS_PER_GROUP) continue;
    yield group;
    group = [];
  }
  if (!isHeaderRead) checkHeader([]);
  yield group;
}
