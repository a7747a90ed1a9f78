/** Parses a line of an import. */
import { CONVERT_TO_UTF8, utf8Text } from '@carillon/import-formats/plain-text';
import { faultSentence } from '../../api/errors.ts';
import { UnusableJson } from '../../json/lossless.ts';
import { sizeFault } from '../../json/size.ts';
import { BadJson, parseSentJson } from '../../json/strict.ts';

/** A line that cannot be used. The message contains no part of the line's values. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}

/**
 * @returns the value with exact numbers (see `parseSentJson`); undefined for an empty line
 * @throws {BadLine}
 */
export function parseLine(bytes: Uint8Array): unknown {
  const text = utf8Text(bytes);
  if (text === undefined) throw new BadLine(`the line is not valid UTF-8: ${CONVERT_TO_UTF8}`);
  return text.trim() === '' ? undefined : parseText(text);
}

/** @throws {BadLine} */
export function parseText(text: string): unknown {
  const fault = sizeFault(text);
  if (fault !== undefined) throw new BadLine(`the line ${fault}`);
  try {
    return parseSentJson(text);
  } catch (error) {
    if (error instanceof BadJson) throw new BadLine(`the line ${error.message} at column ${error.column}`);
    if (error instanceof UnusableJson) throw new BadLine(faultSentence(error, 'the line'));
    throw error;
  }
}
