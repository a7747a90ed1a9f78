import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { runs } from './test/support/runs.ts';

const report = process.env['VITEST_REPORT'];
// As bin/carillon.js does: workers, and the threads that tests start, compile a module that is unchanged only once.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/** Tests that start programs: Carillon, a Postgres or a Redis to be killed, a browser. They have a run of their own. */
export const STARTING_PROGRAMS = [
  'test/cli/**/*.test.ts',
  'test/db/embedded-postgres.test.ts',
  'test/http/openapi/page.test.ts',
  'test/http/secrets-in-output.test.ts',
  'test/notifications/sensitive/sensitive-in-output.test.ts',
  'test/processes/**/*.test.ts',
  'test/queue/sentinel.test.ts',
];

const SETUP = ['test/support/global-setup.ts'];
/** For those that start Carillon. */
export const SETUP_WITH_PROGRAM = [...SETUP, 'test/support/bundle-program.ts'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    exclude: [
      ...STARTING_PROGRAMS,
      'test/chaos/**',
      'test/deep/**',
      'test/delivery/second-key.test.ts',
      'packages/*/test/conformance/**',
      'test/upgrade/rolling-upgrade.test.ts',
    ],
    globalSetup: SETUP,
    testTimeout: runs(60_000),
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } }, // 1 s, the default, is too short where workers share two cores
    sequence: { sequencer: LongestFirst },
    maxWorkers: 4, // most tests wait now and then: two of four keep two cores busy
    // Files of a worker share its modules: loading them again for each file took a quarter of the processor time. So a test
    // leaves globals as it found them.
    isolate: false,
    // Node runs the tests and the sources as it runs the program. Vite would transform each module once more, and send it to each
    // worker: two thirds of the processor time of a single small file.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
