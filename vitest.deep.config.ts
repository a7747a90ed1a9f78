import { defineConfig } from 'vitest/config';
import { runs } from './test/support/runs.ts';
import common from './vitest.config.ts';

/**
 * What takes minutes: the same faults at many more points, properties at length, a new SECRET_KEY, the image. CI runs it
 * after the rest.
 */
export default defineConfig({
  test: {
    ...common.test,
    include: [
      'test/deep/**/*.test.ts',
      'test/delivery/second-key.test.ts',
      'packages/*/test/conformance/*.test.ts',
      'test/upgrade/rolling-upgrade.test.ts',
    ],
    exclude: [],
    testTimeout: runs(180_000), // a test with five checks by axe took 43 s on two busy cores
    maxWorkers: 3, // they start several processes each, and some measure times
  },
});
