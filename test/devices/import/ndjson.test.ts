import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, readLines } from '../../../src/devices/import/ndjson.ts';
import { chunksOf } from './lines.ts';

async function linesOf(input: string | Uint8Array, chunkBytes?: number): Promise<Line[]> {
  const lines = await Array.fromAsync(readLines(chunksOf(input, chunkBytes), 8));
  return lines.flat();
}

/** A long line of blanks may be told or not: it is none, and counted. */
function isBlank(input: string, number: number): boolean {
  return input.split('\n')[number - 1]?.trim() === '';
}

describe('the lines of a stream', () => {
  test('are those between its newlines, with their numbers, however it is cut into chunks', async () => {
    const piece = fc.constantFrom('\n', '\n', ' ', '\t', '\r', 'x', '{}', 'too long to keep');
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 50 }), async (input, chunkBytes) => {
        const expected = input
          .split('\n')
          .map((line, index) => ({ number: index + 1, text: line.length > 8 ? undefined : line }))
          .filter((line) => line.text === undefined || line.text.trim() !== '');
        const read = (await linesOf(input, chunkBytes))
          .map(({ number, bytes }) => ({ number, text: bytes?.toString() }))
          .filter((line) => line.text === undefined || line.text.trim() !== '');
        expect(read.filter((line) => line.text !== undefined || !isBlank(input, line.number))).toEqual(
          expected.filter((line) => line.text !== undefined || !isBlank(input, line.number)),
        );
      }),
    );
  });

  test('of blanks make no line, a million of them', async () => {
    const input = Buffer.from('\n \r\n\t\n'.repeat(333_333) + 'x');
    expect(await linesOf(input, 256 * 1024)).toSatisfy((lines: Line[]) => {
      // Those that lie in two chunks are told: one a chunk at most.
      const told = lines.filter(({ bytes }) => bytes?.toString().trim() !== '');
      return told.length === 1 && told[0]?.number === 1_000_000 && lines.length <= 10;
    });
  });

  test('come a thousand at a time, however many a chunk holds', async () => {
    const counts = [];
    for await (const lines of readLines(chunksOf('x\n'.repeat(2_500)), 8)) counts.push(lines.length);
    expect(counts).toEqual([1_000, 1_000, 500]);
  });
});
