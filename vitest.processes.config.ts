import { defineConfig } from 'vitest/config';
import common, { SETUP_WITH_PROGRAM, STARTING_PROGRAMS } from './vitest.config.ts';

/** CI runs them after `npm test`. */
export default defineConfig({
  test: {
    ...common.test,
    include: STARTING_PROGRAMS,
    globalSetup: SETUP_WITH_PROGRAM,
    exclude: [],
  },
});
