import { defineConfig } from 'vitest/config';
import common from './vitest.config.ts';

/** Tests that start the program: commands, servers, workers that are killed. CI runs them after `npm test`. */
export default defineConfig({
  test: {
    ...common.test,
    include: ['test/cli/**/*.test.ts', 'test/processes/**/*.test.ts'],
    exclude: [],
  },
});
