/** Starts the baseline of servers of single pushes (bench/processes/bare-server.ts), in a process of its own. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { BenchApp } from './app.ts';
import { type BenchContext, keepOpen } from './context.ts';
import type { BenchDatabase } from './postgres.ts';
import { readAnswer, startScript } from './programs.ts';

export interface BareServer {
  url: string;
  pid: number;
  /** Resolves when the answers to all pushes are stored. @throws if one was not accepted, or stays without an answer */
  untilStored(): Promise<void>;
  /** Lets Postgres count the rows, which its plans depend on. */
  analyze(): Promise<void>;
  stop(): Promise<void>;
}

/** The line that it prints. */
const started = z.object({ kind: z.literal('started'), port: z.number() });
export type BareServerStarted = z.infer<typeof started>;

/** Its name in the figures. */
export const BARE_SERVER = 'a bare server';
const PROGRAM = new URL('../processes/bare-server.ts', import.meta.url);
const START_TIMEOUT_MS = 10_000;
const counts = z.object({ open: z.coerce.number(), failed: z.coerce.number() });
const STORED_TIMEOUT_MS = 30_000;
const POLL_EVERY_MS = 100;

/**
 * @param everyMs from the start of a statement to the start of the next of its kind; 0: the next starts when the
 *   previous one has ended
 */
export async function startBareServer(
  context: BenchContext,
  { database, app, everyMs }: { database: BenchDatabase; app: BenchApp; everyMs: number },
): Promise<BareServer> {
  const { apnsUrl, caFile, credentials } = context.sink;
  await database.sql.query(
    `create table if not exists bare_pushes
       (id uuid primary key, body text not null, device_id uuid not null, status integer)`,
  );
  await database.sql.query('truncate bare_pushes');
  const input = { databaseUrl: database.url, appId: app.id, apnsUrl, caFile, bundleId: app.bundleId };
  const script = keepOpen(context, startScript(PROGRAM, { ...input, apns: credentials.apns, everyMs }));
  const { port } = await readAnswer(script, started, START_TIMEOUT_MS);
  const count = async (): Promise<z.infer<typeof counts>> =>
    database.readOne(
      counts,
      `select count(*) filter (where status is null) as open, count(*) filter (where status <> 200) as failed
       from bare_pushes`,
    );
  return {
    url: `http://127.0.0.1:${port}/`,
    pid: script.pid,
    async untilStored() {
      const untilMs = performance.now() + STORED_TIMEOUT_MS;
      let now = await count();
      while (now.open > 0 && performance.now() < untilMs) {
        await wait(POLL_EVERY_MS);
        now = await count();
      }
      if (now.open + now.failed > 0) {
        throw new Error(`a bare server: ${now.open} pushes without an answer, ${now.failed} not accepted`);
      }
    },
    analyze: async () => void (await database.sql.query('analyze bare_pushes')),
    stop: async () => script.stop(),
  };
}
