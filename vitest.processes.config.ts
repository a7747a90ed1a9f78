import { defineConfig } from 'vitest/config';
import common, { STARTING_PROGRAMS } from './vitest.config.ts';

/** CI runs them after `npm test`. */
export default defineConfig({
  test: {
    ...common.test,
    include: STARTING_PROGRAMS,
    exclude: [],
  },
});
