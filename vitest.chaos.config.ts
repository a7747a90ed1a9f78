import { defineConfig } from 'vitest/config';
import common, { SETUP_WITH_PROGRAM } from './vitest.config.ts';

/** The matrix of faults. When it is over, it writes docs/chaos.md. */
export default defineConfig({
  test: {
    ...common.test,
    include: ['test/chaos/*.test.ts'],
    exclude: [],
    globalSetup: [...SETUP_WITH_PROGRAM, 'test/chaos/page.ts'],
    maxWorkers: 6, // each file has a Postgres and a Redis of its own, and mostly waits
  },
});
