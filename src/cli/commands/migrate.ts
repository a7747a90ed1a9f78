import type { Command } from 'commander';
import { readConfig } from '../../process/config.ts';
import { openResources } from '../../process/resources.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrates the database schema, as every start does')
    .action(async () => {
      const applied: string[] = [];
      const resources = await openResources(readConfig(process.env), (observation) => {
        if (observation.kind === 'migrated') applied.push(...observation.migrations);
      });
      await resources.close();
      process.stdout.write(applied.length === 0 ? 'up to date\n' : `applied ${applied.join(', ')}\n`);
    });
}
