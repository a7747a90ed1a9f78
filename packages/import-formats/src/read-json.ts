/** Reads the records of an export in JSON. */
import { type ObjectText, readObjects } from './objects.ts';
import { utf8Text } from './plain-text.ts';
import { NOT_UTF8, type ParseJson, type SourceRecord } from './service.ts';
import { isObject } from './values.ts';

/** Four times what a device of Carillon may take. */
export const RECORD_BYTES_MAX = 256 * 1024;

/** @param pageStart matches a page of records up to its list */
export async function* readJson(
  chunks: AsyncIterable<Uint8Array>,
  parse: ParseJson,
  pageStart: RegExp,
): AsyncGenerator<SourceRecord[], void> {
  for await (const found of readObjects(chunks, { pageStart, bytesMax: RECORD_BYTES_MAX })) {
    yield found.map((object) => recordOf(object, parse));
  }
}

function recordOf({ line, bytes }: ObjectText, parse: ParseJson): SourceRecord {
  if (bytes === undefined) return { line, fields: undefined };
  const text = utf8Text(bytes);
  if (text === undefined) return { line, fields: undefined, fault: NOT_UTF8 };
  const value = parse(text);
  return { line, fields: isObject(value) ? value : undefined };
}
