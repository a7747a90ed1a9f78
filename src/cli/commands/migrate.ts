import { type Command, InvalidArgumentError } from 'commander';
import { sql } from 'kysely';
import { openResources } from '../../process/resources.ts';
import type { Terminal } from '../terminal.ts';
import { configOf } from '../with-resources.ts';

export function addTo(migrate: Command, terminal: Terminal): void {
  migrate
    .option(
      '--partitions <number>',
      'also partitions what is stored about devices, by hash of their ids; only for a database without devices',
      parsePartitions,
    )
    .action(async ({ partitions }: { partitions?: number }) => {
      const applied: string[] = [];
      const resources = await openResources(configOf(terminal), (observation) => {
        if (observation.kind === 'migrated') applied.push(...observation.migrations);
      });
      try {
        if (partitions !== undefined) {
          await sql`select partition_devices(${partitions}::integer)`.execute(resources.db);
        }
      } finally {
        await resources.close();
      }
      terminal.stdout.write(applied.length === 0 ? 'up to date\n' : `applied ${applied.join(', ')}\n`);
    });
}

function parsePartitions(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('must be a number from 2 to 1024');
  return Number(text);
}
