/** Reads the records of an export in JSON. */
import { parseLine, BadLine, NotUtf8 } from '../parse-line.ts';
import { type ObjectText, readObjects } from '../../../json/objects.ts';
import { isJsonObject } from '../../../parse.ts';
import { NOT_UTF8, type SourceRecord } from './service.ts';

/** Four times what a device of ours may take. */
export const RECORD_BYTES_MAX = 256 * 1024;

/** @param pageStart matches a page of records up to its list */
export async function* readJson(
  chunks: AsyncIterable<Uint8Array>,
  pageStart: RegExp,
): AsyncGenerator<SourceRecord[], void> {
  for await (const found of readObjects(chunks, { pageStart, bytesMax: RECORD_BYTES_MAX })) {
    yield found.map(recordOf);
  }
}

function recordOf({ line, bytes }: ObjectText): SourceRecord {
  if (bytes === undefined) return { line, fields: undefined };
  try {
    const value = parseLine(bytes);
    return { line, fields: isJsonObject(value) ? value : undefined };
  } catch (error) {
    if (error instanceof NotUtf8) return { line, fields: undefined, fault: NOT_UTF8 };
    if (error instanceof BadLine) return { line, fields: undefined };
    throw error;
  }
}
