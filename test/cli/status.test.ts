/** `carillon status`, which needs no server that answers. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openPulse } from '../../src/status/pulse.ts';
import { runCommand } from '../support/command.ts';
import { insertApp } from '../support/database.ts';
import { closedPort } from '../support/ports.ts';
import { useCommandLine } from './command-line.ts';

const { database, environment } = useCommandLine();
const listSchema = z.object({
  ok: z.boolean(),
  troubles: z.array(z.object({ code: z.string(), since: z.string(), what: z.string() })),
});

async function status(settings: Record<string, string> = {}, ...words: string[]) {
  return runCommand(['status', ...words], { ...environment(), ...settings });
}

test('carillon status prints what is wrong in words with what to do, of every app, and exits with 1', async () => {
  const app = await insertApp(database.db);
  await database.db
    .insertInto('webhooks')
    .values({
      app_id: app.id,
      id: randomUUID(),
      url: 'https://example.com/',
      events: [],
      sealed_secret: Buffer.of(1),
      created_at: new Date(),
      failing_since: new Date('2026-11-21T10:00:00Z'),
      last_failure: 'timeout',
    })
    .execute();
  const exit = await status({ REDIS_URL: `redis://127.0.0.1:${await closedPort()}` });
  expect(exit.code).toBe(1);
  expect(exit.stderr).toBe('');
  const lines = exit.stdout.split('\n');
  expect(lines[0]).toMatch(/^no_worker, since \d{4}-/);
  expect(lines.slice(1, 3)).toEqual([
    '  No worker is running. Calls are accepted, and nothing is sent.',
    '  → Start a worker (ROLE=worker or all), and look at the log of the one that was there.',
  ]);
  expect(lines[3]).toMatch(/^queue_away, since /);
  expect(lines.slice(6)).toEqual([
    'webhook_failing, since 2026-11-21T10:00:00.000Z',
    `  ${app.bundleId}: The webhook at example.com does not accept its events: timeout. Pushes are not affected; each event is sent again for a day.`,
    '  → Mend the receiver.',
    '',
  ]);
  await database.db.deleteFrom('webhooks').execute();
});

test('carillon status says that nothing is wrong while a worker shows itself, and exits with 0', async () => {
  await openPulse(database.db, () => []).beat();
  // A busy machine may start the command so slowly that the worker seems to have stopped.
  await database.db
    .updateTable('worker_pulses')
    .set({ seen_at: new Date(Date.now() + 60_000) })
    .execute();
  expect(await status()).toMatchObject({ code: 0, stdout: 'nothing is wrong\n' });
  const json = await status({}, '--json');
  expect(listSchema.parse(JSON.parse(json.stdout))).toEqual({ ok: true, troubles: [] });
});

test('carillon status names a database that does not answer', async () => {
  const url = `postgres://nobody@127.0.0.1:${await closedPort()}/nothing`;
  const exit = await status({ DATABASE_URL: url }, '--json');
  expect(exit.code).toBe(1);
  expect(listSchema.parse(JSON.parse(exit.stdout))).toMatchObject({
    ok: false,
    troubles: [{ code: 'database_away', what: 'The database does not answer.' }],
  });
});
