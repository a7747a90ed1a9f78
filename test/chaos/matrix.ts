/** The matrix: each fault under each load. */
import { beforeAll, expect, test } from 'vitest';
import { useOwnPostgres } from '../support/own-postgres.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { runCell } from './cell.ts';
import type { Fault } from './fault.ts';
import { gatewayFaults } from './faults/gateways.ts';
import { machineFaults } from './faults/machine.ts';
import { postgresAway, postgresTroubled } from './faults/postgres.ts';
import { processFaults } from './faults/processes.ts';
import { redisFaults } from './faults/redis.ts';
import type { Load } from './load.ts';
import { broadcasts } from './loads/broadcasts.ts';
import { calls } from './loads/calls.ts';
import { live } from './loads/live.ts';
import { openRecord, type Record, type Result, testedCommit } from './record.ts';
import { useStage } from './stage.ts';

export interface Cell {
  fault: Fault;
  load: Load;
}

export const loads: readonly Load[] = [...broadcasts, ...calls, ...live];
export const faults: readonly Fault[] = [
  ...processFaults,
  ...machineFaults,
  ...postgresAway,
  ...postgresTroubled,
  ...redisFaults,
  ...gatewayFaults,
];

/** Tests that run the cells of faults which are missing on record or red. */
export function testFaults(name: string, struck: readonly Fault[]): void {
  const cells = struck.flatMap((fault) => loads.map((load) => ({ fault, load })));
  testCells(name, cells, openRecord(testedCommit()));
}

/** @param record none: each cell runs, and its result is only printed */
export function testCells(name: string, cells: readonly Cell[], record?: Record): void {
  describeWithOwnRedis(name, (redis) => {
    const stages = useStage(useOwnPostgres(), redis);
    let known: readonly Result[] = [];
    beforeAll(async () => {
      known = (await record?.results()) ?? [];
    });

    // Not test.each, which shortens names.
    for (const { fault, load } of cells) {
      const title = `${load.name} loses nothing and shows nothing twice: ${fault.where}, ${fault.name}`;
      test(title, { timeout: 600_000 }, async ({ skip }) => {
        const refusal = await fault.refusal?.();
        skip(refusal !== undefined, refusal);
        const isDone = (one: Result): boolean => one.fault === fault.name && one.load === load.name;
        if (known.some((one) => isDone(one) && one.failed === undefined)) return;
        const result = await runCell(await stages.open(fault), fault, load);
        await record?.add(result);
        process.stdout.write(`  ${JSON.stringify(result)}\n`);
        expect(result.failed).toBeUndefined();
      });
    }
  });
}
