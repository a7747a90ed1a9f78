import { defineConfig } from 'vitest/config';
import { byRun, runs } from './test/support/runs.ts';
import common, { SETUP_WITH_PROGRAM } from './vitest.config.ts';

/**
 * Run only where `TEST_RUNS` is more than 1: they wait half a minute for real times, or build all that a release has, which is a job of
 * its own in .github/workflows/ci.yml.
 */
const AT_NIGHT = [
  'test/deep/long-migration.test.ts',
  'test/deep/silent-gateway.test.ts',
  'test/deep/release.test.ts',
];

/** `.ci/run` says so. */
const LEFT_OUT = process.env['CLIENTS'] === 'unchanged' ? ['test/deep/clients/**'] : [];

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
    globalSetup: SETUP_WITH_PROGRAM,
    exclude: byRun({ change: [...AT_NIGHT, ...LEFT_OUT], night: [] }),
    testTimeout: runs(180_000), // a test with five checks by axe took 43 s on two busy cores
    maxWorkers: 5, // they start several processes each, and most wait for them now and then
  },
});
