/** A session that somebody forgot: while it has its snapshot, no dead row can be removed, and queries step over all of them. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';
import { onStand } from '../fault.ts';
import type { Servers } from '../stage.ts';

/** Half an hour of ten single pushes per second, each of which leaves two dead rows in each table. */
const PUSHES = 18_000;

/** Each statement is a transaction of its own, as in the life of a push. */
async function sendAndForget({ postgres: { db } }: Servers): Promise<void> {
  const app = randomUUID();
  await sql`insert into apps (id, bundle_id, name, created_at) values (${app}, ${app}, 'Busy', now())`.execute(
    db,
  );
  await sql`insert into notifications (app_id, id, filters, body, state, created_at, due_at, request_id)
    select ${app}, gen_random_uuid(), '[]', '{}', 'scheduled', now(), now(), ''
    from generate_series(1, ${PUSHES}::integer)`.execute(db);
  await sql`update notifications set state = 'sending', started_at = now() where app_id = ${app}`.execute(db);
  await sql`insert into delivery_slices (app_id, notification_id, number, first_id, last_id, not_before)
    select app_id, id, 0, id, id, now() from notifications where app_id = ${app}`.execute(db);
  await sql`update delivery_slices set state = 'leased' where app_id = ${app}`.execute(db);
  await sql`update delivery_slices set state = 'done' where app_id = ${app}`.execute(db);
  await sql`update notifications set state = 'sent', ended_at = now() where app_id = ${app}`.execute(db);
}

export const heldSnapshot = onStand(
  { name: `a snapshot held since before the last ${PUSHES} pushes` },
  async (servers) => {
    const { db, url } = servers.postgres;
    const session = new Client({ connectionString: url });
    await session.connect();
    await session.query('begin isolation level repeatable read');
    await session.query('select 1'); // the snapshot is that of the first statement
    await sendAndForget(servers);
    return {
      close: async () => {
        await session.query('commit'); // fails if it was not held until now
        await session.end();
        await sql`truncate notifications cascade`.execute(db);
      },
    };
  },
  async () => undefined, // it is broken from the beginning to the end
);
