/** Reads the records of an export in CSV. */
import { pipeline, Readable } from 'node:stream';
import { type CsvError, type InfoRecord, parse } from 'csv-parse';
import { utf8Text } from './plain-text.ts';
import { NOT_UTF8, RECORD_BYTES_MAX, type SourceRecord } from './service.ts';

const RECORDS_PER_PAGE = 100;

/**
 * A row that cannot be read has no fields. Rows are numbered by the line on which they end.
 * @param checkHeader throws if the service does not write these columns
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  checkHeader: (columns: readonly string[]) => void,
): AsyncGenerator<SourceRecord[], void> {
  let page: SourceRecord[] = [];
  let isHeaderRead = false;
  let faultyLine = 0; // a row may have several faults
  const parser = parse({
    encoding: null, // bytes: the parser would put � in place of what is not UTF-8
    // The types say text, but these are bytes too.
    columns: (cells: readonly unknown[]) => {
      const header = cells.map(String);
      checkSeparator(header);
      checkHeader(header);
      isHeaderRead = true;
      return header;
    },
    max_record_size: RECORD_BYTES_MAX,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined) => {
      const line = Number(error?.['lines'] ?? 1);
      if (line > faultyLine) page.push({ line, fields: undefined });
      faultyLine = line;
      return undefined;
    },
    on_record: (cells: Readonly<Record<string, Buffer>>, { lines }: InfoRecord): SourceRecord => ({
      line: lines,
      ...textsOf(cells),
    }),
  });
  // Errors of the file and of the parser are thrown when the records are read.
  const records: AsyncIterable<SourceRecord> = pipeline(Readable.from(chunks), parser, () => undefined);
  for await (const record of records) {
    page.push(record);
    if (page.length < RECORDS_PER_PAGE) continue;
    yield page;
    page = [];
  }
  if (!isHeaderRead) checkHeader([]);
  yield page;
}

function textsOf(cells: Readonly<Record<string, Buffer>>): Omit<SourceRecord, 'line'> {
  const fields: Record<string, string> = {};
  for (const [name, cell] of Object.entries(cells)) {
    const text = utf8Text(cell);
    if (text === undefined) return { fields: undefined, fault: NOT_UTF8 };
    fields[name] = text;
  }
  return { fields };
}

/** @throws {Error} if the header is one column because its separators are not commas */
function checkSeparator([first = '', ...others]: readonly string[]): void {
  const separator = others.length === 0 ? /[;\t|]/.exec(first)?.[0] : undefined;
  if (separator === undefined) return;
  const name = separator === ';' ? 'semicolons' : separator === '|' ? 'bars' : 'tabs';
  throw new Error(
    `its columns are separated by ${name}, as spreadsheets do in some countries: save it with commas, or use the file as it was exported`,
  );
}
