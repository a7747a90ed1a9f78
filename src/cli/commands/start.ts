import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { listApps } from '../../apps/apps.ts';
import type { Config } from '../../process/config.ts';
import { createLog } from '../../process/log/log.ts';
import type { Server } from '../../main.ts';
import type { Observe } from '../../observe.ts';
import { setHeapFlags } from '../set-heap-flags.ts';
import { textOf } from '../print.ts';
import { complain } from '../complain.ts';
import type { Terminal } from '../terminal.ts';
import { configOf } from '../with-resources.ts';

/** Longer than any request to a gateway may take; container platforms wait 30 s before they kill a process. */
const DRAIN_MS_MAX = 25_000;
/** How long a process that could not drain may take to stop the embedded database, if no other process uses it. */
const ABANDON_MS_MAX = 10_000;

export function addTo(start: Command, terminal: Terminal): void {
  start.action(async () => {
    const config = configOf(terminal);
    setHeapFlags();
    // Loaded only here: other commands start in half the time without the server.
    const { startServer } = await import('../../main.ts');
    // Without a listener, a reader that is gone would end the process.
    for (const output of [terminal.stdout, terminal.stderr]) output.on('error', () => undefined);
    const { observe, close: closeLog } = createLog(config, (code) =>
      complain(
        terminal,
        { kind: 'log_unwritable', code },
        `the log cannot be written (${code}); its lines wait in memory, up to 1 MiB`,
      ),
    );
    // From here on, a signal during the start takes effect once the server has started.
    const stopping = new AbortController();
    const abandon = async (): Promise<void> => (await starting)?.abandon();
    const stopped = stopSignal(observe, abandon).then(() => stopping.abort());
    const starting = startServer(config, observe, stopping.signal).catch((error: unknown) => {
      if (stopping.signal.aborted) return undefined; // stopped while it waited for its database
      throw error;
    });
    const server = await starting;
    if (server === undefined) return closeLog();
    flushCompileCache(); // at once, because a killed process would leave nothing for the next start
    try {
      // This only prints a hint, so a database error here must not end the server.
      const apps = await listApps(server.resources.db).catch(() => undefined);
      if (apps?.length === 0) terminal.stderr.write(textOf(firstSteps(config)));
      await stopped;
    } finally {
      await drain(server, terminal);
      await closeLog();
    }
  });
}

/** A link to the console would be of use to everybody who reads the log, so a command makes it. */
function firstSteps(config: Config): string[] {
  const data = config.databaseUrl === undefined ? `data in ${config.dataDir}` : 'empty database';
  const head = [`This server has no app yet (${data}).`, 'In another terminal, in this directory:'];
  const demo = '"npx carillon demo" shows all of it without Apple and Google.';
  if (config.console) {
    const add = '  npx carillon console add-user you@example.com';
    return [
      ...head,
      add,
      `At the link that it prints, the console adds the app and sends to your phone. ${demo}`,
    ];
  }
  return [
    ...head,
    '  npx carillon apps create --bundle-id com.example.app --name "My app"',
    '  npx carillon keys create --app com.example.app --scopes read,write',
    '  npx carillon credentials apns --app com.example.app --key-file AuthKey.p8 --key-id KEY_ID --team-id TEAM_ID',
    '  npx carillon credentials fcm --app com.example.app --service-account service-account.json',
    `Then POST /v6/notifications; the README shows how. ${demo}`,
  ];
}

/**
 * Resolves at the first SIGTERM or SIGINT. A second signal exits with 1 after `abandon`; a third exits with 1 at once.
 * @param abandon awaited for at most `ABANDON_MS_MAX`
 */
export async function stopSignal(
  observe: Observe,
  abandon: () => Promise<void> = async () => undefined,
): Promise<void> {
  await new Promise<void>((resolve) => {
    let signals = 0;
    const onSignal = (signal: NodeJS.Signals): void => {
      signals += 1;
      if (signals === 1) {
        observe({ kind: 'draining', signal });
        resolve();
      } else if (signals === 2) {
        void exitAfter(abandon);
      } else {
        process.exit(1);
      }
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** Closes the server; other processes take over work that does not finish in time. */
export async function drain(
  server: Pick<Server, 'close' | 'unsaved' | 'abandon'>,
  terminal: Terminal,
): Promise<void> {
  const timer = setTimeout(() => {
    const unsaved = server.unsaved();
    const seconds = DRAIN_MS_MAX / 1_000;
    complain(terminal, { kind: 'not_drained', seconds, unsaved }, notDrained(seconds, unsaved));
    void exitAfter(async () => server.abandon());
  }, DRAIN_MS_MAX);
  await server.close();
  clearTimeout(timer);
}

function notDrained(seconds: number, unsaved: number): string {
  const sentence = `could not drain within ${seconds} s; exiting`;
  if (unsaved === 0) return sentence;
  return `${sentence}. The outcomes of ${unsaved} pushes could not be saved; these pushes will be sent again`;
}

async function exitAfter(abandon: () => Promise<void>): Promise<never> {
  const late = wait(ABANDON_MS_MAX);
  await Promise.race([abandon(), late]).catch(() => undefined);
  process.exit(1);
}
