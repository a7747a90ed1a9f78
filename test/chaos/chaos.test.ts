/** The matrix of faults: where it breaks by what is in flight (`npm run chaos`). */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useOwnPostgres } from '../support/own-postgres.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { runCell } from './cell.ts';
import { gatewayFaults } from './faults/gateways.ts';
import { postgresFaults } from './faults/postgres.ts';
import { processFaults } from './faults/processes.ts';
import { redisFaults } from './faults/redis.ts';
import { broadcasts } from './loads/broadcasts.ts';
import { calls } from './loads/calls.ts';
import { live } from './loads/live.ts';
import { openRecord, type Result } from './record.ts';
import { useStage } from './stage.ts';

const loads = [...broadcasts, ...calls, ...live];
const faults = [...processFaults, ...postgresFaults, ...redisFaults, ...gatewayFaults];
const cells = faults.flatMap((fault) => loads.map((load) => ({ fault, load })));

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const record = openRecord(commit);
let known: Result[];

describeWithOwnRedis('the matrix of faults', (redis) => {
  const postgres = useOwnPostgres();
  const stages = useStage(postgres, redis);
  beforeAll(async () => {
    known = await record.results();
  });
  afterAll(async () => {
    process.stdout.write(`${(await record.results()).length} of ${cells.length} cells are on record\n`);
  });

  // Not test.each, which shortens names.
  for (const { fault, load } of cells) {
    const name = `${load.name} loses nothing and shows nothing twice: ${fault.where}, ${fault.name}`;
    test(name, { timeout: 600_000 }, async () => {
      const isDone = (one: Result): boolean => one.fault === fault.name && one.load === load.name;
      if (known.some((one) => isDone(one) && one.failed === undefined)) return;
      const result = await runCell(await stages.open(), fault, load);
      await record.add(result);
      process.stdout.write(`  ${JSON.stringify(result)}\n`);
      expect(result.failed).toBeUndefined();
    });
  }
});
