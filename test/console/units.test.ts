import { expect, test } from 'vitest';
import { metresPerUnit } from '../../packages/console/src/filter-builder/language.ts';
import { METRES_PER_UNIT } from '../../src/filters/filter.ts';

test('the builder has the units of the language, with their lengths', () => {
  expect(metresPerUnit).toEqual(METRES_PER_UNIT);
});
