import { defineConfig } from 'vitest/config';
import common from './vitest.config.ts';

/** The matrix of faults (docs/chaos.md). */
export default defineConfig({
  test: { ...common.test, include: ['test/chaos/*.test.ts'], exclude: [], maxWorkers: 1 },
});
