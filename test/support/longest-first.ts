/** The order of the test files: a long one that began last would run alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Parts of the paths of files that take long, because they start processes or wait. The longest come first. */
const LONG =
  `deep/poison deep/console/promises deep/moment/kills deep/troubles deep/schemathesis deep/gateway-faults
  deep/postgres-restarts deep/kill-points deep/singles/ deep/chaos deep/sharing deep/many-processes
  deep/count-by-bitmaps deep/postgres/ deep/clients/ deep/console/audiences deep/console/compose/ deep/
  cli/start cli/commands http/openapi/page db/embedded-postgres queue/sentinel processes/
  http/secrets-in-output cli/ queue/periodic-jobs queue/bullmq-queue pool. db/watch-database bulk/
  delivery/pauses delivery/gateway-faults http/bad-requests/`
    .split(/\s+/)
    .map((part) => `/test/${part}`);

/** They keep a core busy, while tests that start processes mostly wait for them. */
const BUSY = '/test/deep/console/';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((left, right) => rankOf(left) - rankOf(right));
    const { busy = [], other = [] } = Object.groupBy(sorted, ({ moduleId }) =>
      moduleId.includes(BUSY) ? 'busy' : 'other',
    );
    return inTurns(other, busy);
  }
}

/** Spreads the members of the second list evenly among those of the first. */
function inTurns<Item>(first: readonly Item[], second: readonly Item[]): Item[] {
  const placed = (items: readonly Item[], start: number) =>
    items.map((item, index) => ({ item, at: (index + start) / items.length }));
  return [...placed(first, 0), ...placed(second, 0.5)]
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((part) => moduleId.includes(part));
  return rank === -1 ? LONG.length : rank;
}
