import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inWhole, splitArray } from '../../src/json/array.ts';
import { BadJson, parseSentJson } from '../../src/json/strict.ts';
import { readableJson } from '../support/json.ts';
import { runs } from '../support/runs.ts';

function elementsOf(text: string): string[] {
  return [...splitArray(text)].filter((element) => element !== undefined).map((element) => element.text);
}

/** Parses the array element by element; @returns the sentence of the first fault, if there is one */
function parsed(text: string): unknown {
  try {
    return [...splitArray(text)]
      .filter((element) => element !== undefined)
      .map((element) => {
        try {
          return parseSentJson(element.text);
        } catch (error) {
          throw error instanceof BadJson ? inWhole(text, element, error) : error;
        }
      });
  } catch (error) {
    return faultOf(error);
  }
}

function parsedAsOne(text: string): unknown {
  try {
    return parseSentJson(text);
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): unknown {
  if (!(error instanceof BadJson)) throw error;
  return { fault: error.message, line: error.line, column: error.column };
}

describe('an array', () => {
  test('an array has the elements that parsing it as a whole finds', () => {
    fc.assert(
      fc.property(fc.array(readableJson()), fc.constantFrom(undefined, 1), (values, indent) => {
        const text = ` ${JSON.stringify(values, null, indent)}\r\n`;
        expect(parsed(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['[]', []],
    [' [ \n ] ', []],
    ['[1]', ['1']],
    ['[ {"a":[1,2]} , "x,]" ]', [' {"a":[1,2]} ', ' "x,]" ']],
    [String.raw`["\"],[",2]`, [String.raw`"\"],["`, '2']],
    [String.raw`["\\",2]`, [String.raw`"\\"`, '2']],
  ])('the array %s is split into its elements', (text, elements) => {
    expect(elementsOf(text)).toEqual(elements);
  });

  test.each(['', '[', '[1', '[1,', '[1] x', '[{"a":1', '["', '[nul]', '[\u00a0]', '[1, {"a":1,"a":2}]'])(
    'the text %j is refused as an array',
    (text) => {
      expect(parsed(text)).toMatchObject({ fault: expect.stringMatching(/./) });
      expect(parsedAsOne(text)).toMatchObject({ fault: expect.stringMatching(/./) });
    },
  );

  test('a text is accepted as an array only if it is JSON as a whole, and its fault has the same position', () => {
    const piece = fc.constantFrom(...Array.from('[]{},:"\\\n 1😀'), '"a"', 'null');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = `[${pieces.join('')}]`;
        const [ours, whole] = [parsed(text), parsedAsOne(text)];
        expect(Array.isArray(ours)).toBe(Array.isArray(whole));
        if (Array.isArray(whole)) expect(ours).toEqual(whole);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('a fault in an element has its position in the whole text', () => {
    expect(parsed('[\n  1,\n  {"ä😀": tru}\n]')).toEqual({
      fault: 'is not valid JSON: a value was expected',
      line: 3,
      column: 10,
    });
    expect(parsed('[{"a":1,"a":2}]')).toMatchObject({ line: 1, column: 9 });
    expect(parsed('[1\n2]')).toMatchObject({ line: 2, column: 1 });
  });

  test('an array is scanned in steps of 64 Ki characters', () => {
    const steps = [...splitArray(`["${'x'.repeat(1024 * 1024)}"]`)];
    expect(steps.filter((step) => step === undefined)).toHaveLength(16);
    expect(steps).toHaveLength(17);
  });
});
