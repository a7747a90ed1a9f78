/** The order of the test files: a long one that began last would run alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Parts of the paths of files that take long, because they start processes or wait. The longest come first. */
const LONG = [
  'deep/postgres-restarts',
  'deep/chaos',
  'deep/console/promises',
  'deep/singles/',
  'deep/poison',
  'deep/kill-points',
  'deep/moment/kills',
  'deep/gateway-faults',
  'deep/console/',
  'deep/filter-language',
  'deep/secret',
  'deep/',
  'cli/start',
  'cli/commands',
  'http/openapi/page',
  'db/embedded-postgres',
  'queue/sentinel',
  'processes/',
  'http/secrets-in-output',
  'cli/',
  'queue/periodic-jobs',
  'queue/bullmq-queue',
  'pool.',
  'db/watch-database',
  'bulk/',
  'delivery/pauses',
  'delivery/gateway-faults',
  'http/bad-requests/',
].map((part) => `/test/${part}`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((part) => moduleId.includes(part));
  return rank === -1 ? LONG.length : rank;
}
