import type { Command } from 'commander';
import { createApp, findApp, listApps, type App } from '../apps/apps.ts';
import { systemClock } from '../clock.ts';
import type { Resources } from '../resources.ts';
import { print, table } from './print.ts';
import { withResources } from './with-resources.ts';

export function addAppsCommands(program: Command): void {
  const apps = program.command('apps').description('the apps that this server pushes for');
  apps
    .command('create')
    .requiredOption('--bundle-id <id>', 'the bundle identifier, e.g. com.example.app')
    .requiredOption('--name <name>', 'a name for people')
    .option('--json', 'print one JSON value')
    .action(async (options: { bundleId: string; name: string; json?: boolean }) => {
      await withResources(async ({ db }) => {
        const { id, bundleId, name } = await createApp(db, options, systemClock);
        print(options.json, { id, bundle_id: bundleId, name }, [`created the app ${bundleId} (${name})`]);
      });
    });
  apps
    .command('list')
    .option('--json', 'print one JSON value')
    .action(async (options: { json?: boolean }) => {
      await withResources(async ({ db }) => {
        const all = await listApps(db);
        print(
          options.json,
          all.map(({ id, bundleId, name, createdAt }) => ({
            id,
            bundle_id: bundleId,
            name,
            created_at: createdAt,
          })),
          table([
            ['BUNDLE ID', 'NAME', 'CREATED'],
            ...all.map(({ bundleId, name, createdAt }) => [bundleId, name, createdAt.toISOString()]),
          ]),
        );
      });
    });
}

/** The app that an option names, by bundle id or id. @throws a plain sentence where there is none */
export async function requireApp({ db }: Resources, idOrBundleId: string): Promise<App> {
  const app = await findApp(db, idOrBundleId);
  if (app === undefined) throw new Error(`there is no app ${idOrBundleId}; see "carillon apps list"`);
  return app;
}
