/** Parses a line of an import. */
import { faultSentence } from '../../errors.ts';
import { UnusableJson } from '../../json/lossless.ts';
import { sizeFault } from '../../json/size.ts';
import { BadJson, parseSentJson } from '../../json/strict.ts';

/** A line that cannot be used. The message contains no part of the line's values. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}

/** Spreadsheets write the encoding of their country. */
export const CONVERT = 'convert the file, for instance by "iconv -f WINDOWS-1252 -t UTF-8"';

/** The text of the line is in another encoding. */
export class NotUtf8 extends BadLine {
  constructor() {
    super(`the line is not valid UTF-8: ${CONVERT}`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * @returns the value with exact numbers (see `parseSentJson`); undefined for an empty line
 * @throws {BadLine}
 */
export function parseLine(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text.trim() === '') return undefined;
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

/** @throws {NotUtf8} */
export function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new NotUtf8();
  }
}
