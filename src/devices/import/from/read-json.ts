/** Reads the records of an export in JSON. */
import { parseLine, BadLine } from '../parse-line.ts';
import { readObjects } from '../../../json/objects.ts';
import { isJsonObject } from '../../../parse.ts';
import type { Fields, SourceRecord } from './service.ts';

/** Four times what a device of ours may take. */
export const RECORD_BYTES_MAX = 256 * 1024;

/** @param pageStart matches a page of records up to its list */
export async function* readJson(
  chunks: AsyncIterable<Uint8Array>,
  pageStart: RegExp,
): AsyncGenerator<SourceRecord[], void> {
  for await (const found of readObjects(chunks, { pageStart, bytesMax: RECORD_BYTES_MAX })) {
    yield found.map(({ line, bytes }) => ({ line, fields: bytes === undefined ? undefined : parsed(bytes) }));
  }
}

function parsed(bytes: Buffer): Fields | undefined {
  try {
    const value = parseLine(bytes);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof BadLine) return undefined;
    throw error;
  }
}
