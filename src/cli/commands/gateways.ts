/** Lists the routes of an app with their state, and lets an operator resume paused ones. */
import { type Command, Option } from 'commander';
import { credentialsByRoute, listCredentialVersions } from '../../apps/credentials/store.ts';
import { commandLine } from '../../audit/author.ts';
import { readTime } from '../../db/state/database-clock.ts';
import { resumeRoutes } from '../../delivery/routes/route-store.ts';
import { type Route, routes } from '../../route.ts';
import { requireApp } from './apps.ts';
import { print } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import { withResources } from '../with-resources.ts';

export function addTo(gateways: Command, terminal: Terminal): void {
  gateways
    .command('list')
    .description('shows each route: its credentials, whether a push was ever accepted, and why it is paused')
    .requiredOption('--app <id>', 'bundle id of the app')
    .option('--json', 'print one JSON value')
    .action(async (options: { app: string; json?: boolean }) => {
      await withResources(terminal, async (resources) => {
        const { id } = await requireApp(resources, options.app);
        const chosen = credentialsByRoute(await listCredentialVersions(resources.db, id));
        const listed = routes.map((route) => {
          const credentials = chosen[route];
          const state = credentials?.routes.find((stored) => stored.route === route);
          const pause = state?.pause ?? null;
          return {
            route,
            credentials: credentials?.environment ?? null,
            proven: state?.isProven ?? false,
            paused_since: pause === null ? null : new Date(pause.sinceMs).toISOString(),
            reason: pause?.reason ?? null,
          };
        });
        const lines = listed.map(({ route, credentials, proven, paused_since: since, reason }) => {
          if (credentials === null) return `${route}  no credentials`;
          if (since !== null) return `${route}  paused since ${since}: ${reason}`;
          return `${route}  ${proven ? 'works: a push was accepted' : 'no push was accepted yet'}`;
        });
        print(terminal, options.json, listed, lines);
      });
    });
  gateways
    .command('resume')
    .description('resumes paused routes; for a day, all tokens reported dead there are retired, however many')
    .requiredOption('--app <id>', 'bundle id of the app')
    .addOption(new Option('--route <name>', 'only this route').choices(routes))
    .option('--json', 'print one JSON value')
    .action(async (options: { app: string; route?: Route; json?: boolean }) => {
      await withResources(terminal, async (resources) => {
        const { id: appId } = await requireApp(resources, options.app);
        const wanted = { appId, only: options.route, author: commandLine };
        const resumed = await resumeRoutes(resources.db, wanted, await readTime(resources.db));
        const line = resumed.length === 0 ? 'nothing was paused' : `resumed: ${resumed.join(', ')}`;
        print(terminal, options.json, { resumed }, [line]);
      });
    });
}
