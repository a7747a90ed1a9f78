/** Prints the troubles of the servers, from what they leave in Postgres and in Redis; no server need answer. */
import path from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../../clock.ts';
import { hasEmbeddedPostgres, openEmbeddedPostgres } from '../../db/embedded-postgres.ts';
import { observeNothing } from '../../observe.ts';
import type { Config } from '../../process/config.ts';
import { openConfiguredQueue } from '../../process/configured.ts';
import { openWatchDb } from '../../process/resources.ts';
import { openStatus } from '../../status/status.ts';
import { toReply, type TroubleReply } from '../../status/trouble.ts';
import { print } from '../print.ts';
import { PrintedFailure, type Terminal } from '../terminal.ts';
import { configOf } from '../with-resources.ts';

export function addTo(status: Command, terminal: Terminal): void {
  status.option('--json', 'print one JSON value').action(async ({ json }: { json?: boolean }) => {
    const troubles = await findTroubles(configOf(terminal));
    const lines = troubles.length === 0 ? ['nothing is wrong'] : troubles.flatMap(linesOf);
    print(terminal, json, { ok: troubles.length === 0, troubles }, lines);
    if (troubles.length > 0) throw new PrintedFailure();
  });
}

async function findTroubles(config: Config): Promise<TroubleReply[]> {
  await using opened = new AsyncDisposableStack();
  const { queue } = await openConfiguredQueue(config, observeNothing);
  opened.defer(async () => queue.close());
  const db = openWatchDb(config.databaseUrl ?? (await embeddedAt(config, opened)), config.databasePooler);
  opened.defer(async () => db.destroy());
  const status = openStatus({ db: () => db, queue, clock: systemClock, observe: observeNothing });
  await status.fresh();
  return status.troubles().map(toReply);
}

/** Never creates a database. */
async function embeddedAt({ dataDir }: Config, opened: AsyncDisposableStack): Promise<string> {
  if (!hasEmbeddedPostgres(dataDir)) {
    throw new Error(`there is no database in ${path.resolve(dataDir)} yet; check DATA_DIR`);
  }
  const embedded = await openEmbeddedPostgres(dataDir, observeNothing);
  opened.defer(async () => embedded.close());
  return embedded.connectionString;
}

function linesOf({ code, since, app, what, effect, remedy }: TroubleReply): string[] {
  const of = app === null ? '' : `${app}: `;
  return [`${code}, since ${since}`, `  ${of}${what} ${effect}`, `  → ${remedy}`];
}
