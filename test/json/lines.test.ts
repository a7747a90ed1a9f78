import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, readLines } from '../../src/json/lines.ts';
import { chunksOf } from '../devices/import/lines.ts';

async function linesOf(input: string | Uint8Array, chunkBytes?: number): Promise<Line[]> {
  const lines = await Array.fromAsync(readLines(chunksOf(input, chunkBytes), 8));
  return lines.flat();
}

/** A long blank line may or may not be yielded; it is counted in any case. */
function isBlank(input: string, number: number): boolean {
  return input.split('\n')[number - 1]?.trim() === '';
}

describe('the lines of a stream', () => {
  test('the lines of a stream are numbered and split at newlines, for any size of chunks', async () => {
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

  test('blank lines are not yielded, even a million of them', async () => {
    const input = Buffer.from('\n \r\n\t\n'.repeat(333_333) + 'x');
    expect(await linesOf(input, 256 * 1024)).toSatisfy((lines: Line[]) => {
      // Blank lines that span two chunks are yielded: at most one per chunk.
      const notBlank = lines.filter(({ bytes }) => bytes?.toString().trim() !== '');
      return notBlank.length === 1 && notBlank[0]?.number === 1_000_000 && lines.length <= 10;
    });
  });

  test('the lines of a stream are yielded a thousand at a time, for any size of chunks', async () => {
    const counts = [];
    for await (const lines of readLines(chunksOf('x\n'.repeat(2_500)), 8)) counts.push(lines.length);
    expect(counts).toEqual([1_000, 1_000, 500]);
  });
});
