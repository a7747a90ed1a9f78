import { type Command, Option } from 'commander';
import { androidPresentations, type AndroidSettings, setAndroid } from '../../apps/android-settings.ts';
import { createApp, findApp, listApps, type App } from '../../apps/apps.ts';
import { commandLine } from '../../audit/author.ts';
import { systemClock } from '../../clock.ts';
import type { Resources } from '../../process/resources.ts';
import { print, table } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import { withResources } from '../with-resources.ts';

export function addTo(apps: Command, terminal: Terminal): void {
  apps
    .command('create')
    .description('creates an app')
    .requiredOption('--bundle-id <id>', 'the bundle identifier, e.g. com.example.app')
    .requiredOption('--name <name>', 'display name')
    .option('--json', 'print one JSON value')
    .action(async (options: { bundleId: string; name: string; json?: boolean }) => {
      await withResources(terminal, async ({ db }) => {
        const { id, bundleId, name } = await createApp(db, options, systemClock, commandLine);
        print(terminal, options.json, { id, bundle_id: bundleId, name }, [
          `created the app ${bundleId} (${name})`,
        ]);
      });
    });
  apps
    .command('list')
    .description('lists all apps')
    .option('--json', 'print one JSON value')
    .action(async (options: { json?: boolean }) => {
      await withResources(terminal, async ({ db }) => {
        const all = await listApps(db);
        print(
          terminal,
          options.json,
          all.map(({ id, bundleId, name, createdAt, android }) => ({
            id,
            bundle_id: bundleId,
            name,
            created_at: createdAt,
            ...androidReply(android),
          })),
          table([
            ['BUNDLE ID', 'NAME', 'CREATED'],
            ...all.map(({ bundleId, name, createdAt }) => [bundleId, name, createdAt.toISOString()]),
          ]),
        );
      });
    });
  addSetCommand(apps, terminal);
}

function addSetCommand(apps: Command, terminal: Terminal): void {
  apps
    .command('set')
    .description('changes how Android shows the pushes of an app, from the next push on')
    .requiredOption('--app <id>', 'bundle id of the app')
    .addOption(
      new Option(
        '--android-presentation <who>',
        'who shows a push on Android: the app, which gets it as data, or the system',
      ).choices(androidPresentations),
    )
    .option(
      '--android-icon <name>',
      "icon, if the system shows the push: name of a drawable of the app; '' for none",
    )
    .option('--android-color <color>', "color of the icon, such as #aa0000; '' for none")
    .option('--json', 'print one JSON value')
    .action(
      async (options: {
        app: string;
        androidPresentation?: AndroidSettings['presentation'];
        androidIcon?: string;
        androidColor?: string;
        json?: boolean;
      }) => {
        if (Object.keys(options).every((name) => !name.startsWith('android'))) {
          throw new Error('give an option to change, such as --android-presentation system');
        }
        await withResources(terminal, async (resources) => {
          const { id, bundleId } = await requireApp(resources, options.app);
          const changed = {
            ...(options.androidPresentation && { presentation: options.androidPresentation }),
            ...(options.androidIcon !== undefined && { icon: options.androidIcon || null }),
            ...(options.androidColor !== undefined && { color: options.androidColor || null }),
          };
          await setAndroid(resources.db, id, changed, systemClock, commandLine);
          const { android } = await requireApp(resources, id);
          print(terminal, options.json, { bundle_id: bundleId, ...androidReply(android) }, [
            `pushes of ${bundleId} to Android: ${sentenceOf(android)}`,
          ]);
        });
      },
    );
}

function androidReply({ presentation, icon, color }: AndroidSettings) {
  return { android_presentation: presentation, android_icon: icon, android_color: color };
}

function sentenceOf({ presentation, icon, color }: AndroidSettings): string {
  if (presentation === 'data') return 'drawn by the app';
  const look = [icon && `icon ${icon}`, color && `color ${color}`].filter(Boolean);
  return ['drawn by Android', ...look].join(', ');
}

/** Finds the app with that bundle id or id. @throws {Error} with a message for the user if there is none */
export async function requireApp({ db }: Resources, idOrBundleId: string): Promise<App> {
  const app = await findApp(db, idOrBundleId);
  if (app === undefined) throw new Error(`there is no app ${idOrBundleId}; see "carillon apps list"`);
  return app;
}
